import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { SettingsError } from '#libs/config/settings.ts';
import { lockFile } from '#libs/sqlite/lock.ts';
import { type EngineUrls, databaseFilesOf } from './engine-selection.ts';

const inUseMessage = (file: string): string =>
  `Another process serves ${file}: the embedded engines serve one "colophon start" at a time. Stop the other one, or give this one a folder of its own in COLOPHON_DATA_DIR. ` +
  'For several processes, name servers in EVENT_STORE_URL, BUS_URL and READ_STORE_URL.';

/** A disk that cannot be written to says so where the database itself is opened. */
const tryLock = (file: string): (() => void) | null => {
  try {
    mkdirSync(dirname(file), { recursive: true });
    return lockFile(`${file}.lock`);
  } catch {
    return () => undefined;
  }
};

/**
 * Makes this process the only one that serves the embedded engines of the settings, until the answer is called or the process has ended. Commands that read and append ask for nothing.
 * @throws SettingsError where another process serves them
 */
export const requireOnlyProcess = (urls: EngineUrls): (() => void) => {
  const { eventLog, readModels } = databaseFilesOf(urls);
  const releases: (() => void)[] = [];
  const releaseAll = (): void => releases.forEach((release) => release());
  for (const file of [eventLog, readModels]) {
    const release = file === null ? () => undefined : tryLock(file);
    if (release === null) {
      releaseAll();
      throw new SettingsError(inUseMessage(file!));
    }
    releases.push(release);
  }
  return releaseAll;
};
