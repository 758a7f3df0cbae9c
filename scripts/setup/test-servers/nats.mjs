import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isExecutable } from '../../../libs/config/find-browser.mjs';
import { install, mayInstall, refreshLists } from '../apt.mjs';
import { outputOf, step } from '../run-command.mjs';
import { say } from '../output.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = join(root, '.setup/nats');
const version = '2.15.2';
const program = join(folder, 'nats-server');

const isBuilt = () => isExecutable(program) && (outputOf(program, ['--version']) ?? '').includes(`v${version}`);

// Debian puts it where only root's PATH leads.
const isInstalled = () =>
  outputOf('nats-server', ['--version'], { PATH: `${process.env.PATH}:/usr/sbin` }) !== undefined;

const build = () => {
  mkdirSync(folder, { recursive: true });
  return step('NATS server for the tests (build)', 'go', ['install', `github.com/nats-io/nats-server/v2@v${version}`], {
    GOBIN: folder,
    CGO_ENABLED: '0',
  });
};

/** Builds the server unless it is there; without Go, Debian's is taken; without either, the tests that need it are skipped. */
export const ensure = () => {
  if (isBuilt()) return;
  if (outputOf('go', ['version']) !== undefined && build()) return;
  if (isInstalled()) return;
  if (mayInstall() && refreshLists() && install('NATS server for the tests', ['nats-server']) && isInstalled()) return;
  say('There is neither Go nor a NATS server: the tests against NATS are skipped.');
};
