import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBrowser, isExecutable } from '../../libs/config/find-browser.mjs';
import { step } from './run-command.mjs';
import { Remedy } from './output.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Debian's names, the better fitting first. Ubuntu has neither: its chromium is a snap. */
export const browserPackages = ['chromium-headless-shell', 'chromium'];

/** Lets Chromium keep its sandbox where the kernel gives user namespaces to root alone. */
export const sandboxPackage = 'chromium-sandbox';

/** Lets the browser check certificates against further authorities that the operator names. */
export const authorityTools = 'libnss3-tools';

/** The browser that is there already, or undefined; a wrong PUPPETEER_EXECUTABLE_PATH is never passed over in silence. */
export const presentBrowser = () => {
  const found = findBrowser(process.env);
  if (found === undefined || isExecutable(found)) return found;
  throw new Remedy(
    `PUPPETEER_EXECUTABLE_PATH is "${found}", which is no file that can be executed. Name a Chromium there, or unset it.`,
  );
};

export const downloadBrowser = () =>
  step('Browser (download)', join(root, 'node_modules/.bin/node'), [join(root, 'scripts/setup/download-browser.mjs')]);

export const noBrowser = new Remedy(
  'There is no browser to print with, and none could be installed. Any one of these helps:\n' +
    '  - as root on Debian:  apt-get install chromium-headless-shell\n' +
    '  - any Chromium or Chrome on PATH\n' +
    '  - PUPPETEER_EXECUTABLE_PATH=/path/to/chromium',
);
