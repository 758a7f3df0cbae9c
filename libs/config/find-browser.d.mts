/** The folder of a browser that the set-up downloaded. */
export const downloadedBrowsersFolder: string;

/** True for a regular file that this user may execute. */
export const isExecutable: (file: string) => boolean;

/** The browser that prints: PUPPETEER_EXECUTABLE_PATH (unchecked), else the first one on PATH, else a downloaded one, else undefined. */
export const findBrowser: (env: Readonly<Record<string, string | undefined>>) => string | undefined;
