import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { SettingsError } from '#libs/config/settings.ts';
import { makeFolder } from '#libs/disk/make-folder.ts';
import { lockFile } from '#libs/sqlite/lock.ts';
import { type EngineUrls, databaseFilesOf } from './engine-selection.ts';

const inUseMessage = (file: string): string =>
  `Another process uses ${file}: the embedded engines support one "colophon start" at a time. ` +
  'Stop the other one, or set another folder in COLOPHON_DATA_DIR. ' +
  'For several processes, set servers in EVENT_STORE_URL, BUS_URL and READ_STORE_URL.';

/** Errors of a disk are ignored here, because opening the database reports them. */
const tryLock = (file: string): (() => void) | null => {
  try {
    makeFolder(dirname(file));
    return lockFile(`${file}.lock`);
  } catch {
    return () => undefined;
  }
};

/**
 * Makes this process the only service on the embedded engines of the settings, until the returned function is called or the
 * process ends. CLI commands need no lock.
 * @throws SettingsError if another process has the lock, or the files are folders or the same
 */
export const requireOnlyProcess = (urls: EngineUrls): (() => void) => {
  const { eventLog, readModels } = databaseFilesOf(urls);
  for (const file of [eventLog, readModels])
    if (file !== null && statSync(file, { throwIfNoEntry: false })?.isDirectory())
      throw new SettingsError(`${file} is a folder; EVENT_STORE_URL and READ_STORE_URL must name files.`);
  if (eventLog !== null && eventLog === readModels)
    throw new SettingsError(`EVENT_STORE_URL and READ_STORE_URL both name ${eventLog}; allowed are two files.`);
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
