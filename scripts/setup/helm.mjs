import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isExecutable } from '../../libs/config/find-browser.mjs';
import { outputOf, step } from './run-command.mjs';
import { fail } from './output.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, '.setup/helm');
const version = '4.3.1';

const isBuilt = () => isExecutable(join(folder, 'helm'));
const isInstalled = () => outputOf('helm', ['version']) !== undefined;

const build = () => {
  mkdirSync(folder, { recursive: true });
  return step(
    'Helm for the tests (build, takes a minute or two)',
    'go',
    ['install', `helm.sh/helm/v4/cmd/helm@v${version}`],
    { GOBIN: folder, CGO_ENABLED: '0' },
  );
};

// Helm takes minutes to build, so that only the command that tests the chart does it.
if (!isBuilt() && !isInstalled()) {
  if (outputOf('go', ['version']) === undefined) fail('The tests of the chart need Helm, or Go to build it.');
  if (!build()) fail('Helm could not be built.');
}
