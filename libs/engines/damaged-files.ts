import { statSync } from 'node:fs';
import { findDamage, setAside } from '#libs/sqlite/damage.ts';

/** A damaged database file that the service cannot rebuild here. The message names the file and says what to do. */
export class DamagedFileError extends Error {
  constructor(file: string, reason: string, remedy: string) {
    super(`The database ${file} is damaged: ${reason}. ${remedy}`);
    this.name = 'DamagedFileError';
  }
}

// An old write-ahead log next to a restored file would damage the restored file, too.
const restoreInstructions = (file: string): string =>
  'Its data exists nowhere else. Stop the service. ' +
  `Move this file away, together with ${file}-wal and ${file}-shm if they exist. ` +
  'Restore the file from a backup, start again, and run "colophon check" and "colophon rebuild". ' +
  'Keep the damaged files: "sqlite3 FILE .recover" may recover data that is newer than the backup.';
const rebuildInstructions = 'It can be rebuilt from the event log: "colophon start" renames it and rebuilds it.';

/** For the event log, with its small blobs: it cannot be rebuilt. @throws DamagedFileError */
export const requireUndamaged = (file: string | null): void => {
  const reason = file === null ? null : findDamage(file);
  if (reason !== null) throw new DamagedFileError(file!, reason, restoreInstructions(file!));
};

/** A damaged database that was renamed, so that it is rebuilt. */
export type SetAsideFile = { file: string; kept_as: string; reason: string };

const inodeOf = (file: string): number | null => statSync(file, { throwIfNoEntry: false })?.ino ?? null;

/**
 * Renames a damaged database, so that it is rebuilt. True if it did. If several processes start at once, only one renames
 * the file; the others must not rename the new file.
 * @throws DamagedFileError for a damaged database, without a rename, if there is no `onSetAside`
 */
export const undamagedOrSetAside = (
  file: string | null,
  onSetAside: ((what: SetAsideFile) => void) | undefined,
  now = new Date(),
  find = findDamage,
): boolean => {
  if (file === null) return false;
  for (;;) {
    const inode = inodeOf(file);
    const reason = find(file);
    if (reason === null) return false;
    if (!onSetAside) throw new DamagedFileError(file, reason, rebuildInstructions);
    if (inodeOf(file) !== inode) continue;
    onSetAside({ file, kept_as: setAside(file, now), reason });
    return true;
  }
};
