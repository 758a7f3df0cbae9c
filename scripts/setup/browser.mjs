import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBrowser, isExecutable } from '../../libs/config/find-browser.mjs';
import { runStep } from './run-command.mjs';
import { SetupError } from './output.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Debian's package names, the preferred one first. Ubuntu has neither: its chromium is a snap. */
export const browserPackages = ['chromium-headless-shell', 'chromium'];

/** Chromium needs it for its sandbox where only root may create user namespaces. */
export const sandboxPackage = 'chromium-sandbox';

/** certutil, which adds the operator's certificate authorities to the browser. */
export const certificateToolsPackage = 'libnss3-tools';

/** The installed browser, or undefined. @throws SetupError when PUPPETEER_EXECUTABLE_PATH names no executable */
export const findInstalledBrowser = () => {
  const found = findBrowser(process.env);
  if (found === undefined || isExecutable(found)) return found;
  throw new SetupError(
    `PUPPETEER_EXECUTABLE_PATH is "${found}", which is not an executable file. Set it to a Chromium, or unset it.`,
  );
};

export const downloadBrowser = () =>
  runStep('Browser (download)', join(root, 'node_modules/.bin/node'), [
    join(root, 'scripts/setup/download-browser.mjs'),
  ]);

export const browserMissingError = new SetupError(
  'There is no browser to print with, and none could be installed. Do one of these:\n' +
    '  - as root on Debian:  apt-get install chromium-headless-shell\n' +
    '  - put any Chromium or Chrome on PATH\n' +
    '  - set PUPPETEER_EXECUTABLE_PATH=/path/to/chromium',
);
