import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isExecutable } from '../../../libs/config/find-browser.mjs';
import { canInstall, installPackages, updatePackageLists } from '../apt.mjs';
import { commandOutput, runStep } from '../run-command.mjs';
import { printStatus } from '../output.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = join(root, '.setup/nats');
const version = '2.15.2';
const executable = join(folder, 'nats-server');

const isBuilt = () =>
  isExecutable(executable) && (commandOutput(executable, ['--version']) ?? '').includes(`v${version}`);

// Debian's package installs it in /usr/sbin, which only root has on its PATH.
const isInstalled = () =>
  commandOutput('nats-server', ['--version'], { PATH: `${process.env.PATH}:/usr/sbin` }) !== undefined;

const build = () => {
  mkdirSync(folder, { recursive: true });
  return runStep(
    'NATS server for the tests (build)',
    'go',
    ['install', `github.com/nats-io/nats-server/v2@v${version}`],
    {
      GOBIN: folder,
      CGO_ENABLED: '0',
    },
  );
};

/** Builds the server, if Go is installed and this version is not built already. True when it is built. */
export const buildWithGo = () => isBuilt() || (commandOutput('go', ['version']) !== undefined && build());

/** Builds the server with Go, or installs Debian's package. Without both, the tests that need NATS are skipped. */
export const ensure = () => {
  if (buildWithGo() || isInstalled()) return;
  if (
    canInstall() &&
    updatePackageLists() &&
    installPackages('NATS server for the tests', ['nats-server']) &&
    isInstalled()
  )
    return;
  printStatus('Neither Go nor a NATS server is installed: the tests that need NATS are skipped.');
};
