import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isExecutable } from '../../libs/config/find-browser.mjs';
import { commandOutput, runStep } from './run-command.mjs';
import { fail } from './output.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, '.setup/helm');
const version = '4.3.1';

const isBuilt = () => isExecutable(join(folder, 'helm'));
const isInstalled = () => commandOutput('helm', ['version']) !== undefined;

const build = () => {
  mkdirSync(folder, { recursive: true });
  return runStep(
    'Helm for the tests (build, takes a minute or two)',
    'go',
    ['install', `helm.sh/helm/v4/cmd/helm@v${version}`],
    { GOBIN: folder, CGO_ENABLED: '0' },
  );
};

// Building Helm takes minutes, so only `npm run test:chart` does it.
if (!isBuilt() && !isInstalled()) {
  if (commandOutput('go', ['version']) === undefined) fail('The chart tests need Helm, or Go to build it.');
  if (!build()) fail('Helm could not be built.');
}
