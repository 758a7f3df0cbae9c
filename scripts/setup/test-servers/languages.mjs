import { canInstall, installPackages, updatePackageLists } from '../apt.mjs';
import { commandOutput } from '../run-command.mjs';
import { printStatus } from '../output.mjs';

/** What the programs of the guides need, with the Debian packages that have it. Debian's Go is too old for the test servers. */
const requirements = [
  { command: ['curl', '--version'], packageName: 'curl' },
  { command: ['python3', '--version'], packageName: 'python3' },
  { command: ['php', '--version'], packageName: 'php-cli' },
  { command: ['openssl', 'version'], packageName: 'openssl' },
];

const missingPackages = () =>
  requirements
    .filter(({ command: [program, ...args] }) => commandOutput(program, args) === undefined)
    .map(({ packageName }) => packageName);

/** Installs the languages of the programs in the guides. Without one, or without Go, the tests of its programs are skipped. */
export const ensure = () => {
  if (missingPackages().length === 0) return;
  if (canInstall() && updatePackageLists())
    installPackages('Languages of the programs in the guides', missingPackages());
  const missing = missingPackages();
  if (missing.length > 0)
    printStatus(`Not installed: ${missing.join(', ')}. Tests of the guides that need them are skipped.`);
};
