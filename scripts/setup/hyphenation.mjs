import { accessSync, closeSync, constants, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findInstalledBrowser } from './browser.mjs';
import { printStatus } from './output.mjs';
import { runStep } from './run-command.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const installScript = 'libs/chromium/hyphenation/install.ts';

const isProgram = (file) => {
  try {
    const descriptor = openSync(file, 'r');
    const magic = Buffer.alloc(4);
    readSync(descriptor, magic, 0, 4, 0);
    closeSync(descriptor);
    return magic.toString('latin1') === '\u007fELF';
  } catch {
    return false;
  }
};

const isWritable = (folder) => {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

/** The headless shell itself; Debian's command is a script that starts it. Undefined for another browser. */
const findHeadlessShell = (command) => {
  const programs = isProgram(command) ? [command] : (readFileSync(command, 'utf8').match(/\/[\w./+-]+/g) ?? []);
  return programs.find((file) => /headless[-_]shell$/.test(file) && isProgram(file));
};

/** Installs the dictionaries for `hyphens: auto`. Debian's headless shell has none; a downloaded one has its own. */
export const ensureHyphenation = () => {
  const shell = findHeadlessShell(findInstalledBrowser());
  const folder = shell && dirname(shell);
  if (!folder || existsSync(join(folder, 'hyphen-data'))) return;
  const node = join(root, 'node_modules/.bin/node');
  if (isWritable(folder) && runStep('Hyphenation dictionaries', node, [join(root, installScript), folder])) return;
  printStatus(
    `There are no hyphenation dictionaries: "hyphens: auto" has no effect. As root: ${node} ${installScript} ${folder}`,
  );
};
