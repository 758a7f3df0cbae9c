/** The folder in which the set-up leaves a browser that it had to download. */
export const downloadedBrowsersFolder: string;

/** True for a regular file that this user may execute. */
export const isExecutable: (file: string) => boolean;

/** The browser to print with: what PUPPETEER_EXECUTABLE_PATH names (unchecked), else the first one on PATH, else a downloaded one, else undefined. */
export const findBrowser: (env: Readonly<Record<string, string | undefined>>) => string | undefined;
