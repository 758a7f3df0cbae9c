import { findBrowser, isExecutable } from './find-browser.mjs';
import type { Environment } from './setting-table.ts';

const installHint = 'Install one (npm start does), put one on PATH, or name one in PUPPETEER_EXECUTABLE_PATH.';

/** The file of the browser that prints PDFs. @throws Error that says how to install one */
export const requireBrowser = (env: Environment = process.env): string => {
  const found = findBrowser(env);
  if (found === undefined) throw new Error(`There is no browser to print with. ${installHint}`);
  if (!isExecutable(found))
    throw new Error(`PUPPETEER_EXECUTABLE_PATH is "${found}", which is not an executable file. ${installHint}`);
  return found;
};
