// Plain JavaScript without dependencies: the set-up runs it on an old Node, before anything is installed.
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const browserNames = [
  'chromium-headless-shell',
  'chrome-headless-shell',
  'chromium',
  'google-chrome-stable',
  'google-chrome',
  'chromium-browser',
];

export const downloadedBrowsersFolder = fileURLToPath(new URL('../../.setup/bin', import.meta.url));

export const isExecutable = (file) => {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
};

// A browser from a snap cannot read the folders that the service creates for it.
const isSnap = (file) => realpathSync(file).includes('snap');

export const findBrowser = (env) => {
  if (env.PUPPETEER_EXECUTABLE_PATH) return env.PUPPETEER_EXECUTABLE_PATH;
  const folders = [...(env.PATH ?? '').split(delimiter).filter(Boolean), downloadedBrowsersFolder];
  return browserNames
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((file) => isExecutable(file) && !isSnap(file));
};
