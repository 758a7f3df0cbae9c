import { statSync } from 'node:fs';
import { findDamage, setAside } from '#libs/sqlite/damage.ts';

/** A database file that is damaged, and cannot be built anew here. The message names it and says what to do. */
export class DamagedFileError extends Error {
  constructor(file: string, reason: string, remedy: string) {
    super(`The database ${file} is damaged: ${reason}. ${remedy}`);
    this.name = 'DamagedFileError';
  }
}

// A write-ahead log that stays beside a restored file would damage that, too.
const restoreInstructions = (file: string): string =>
  `Nothing else holds what is in it. Stop the service. Move this file away, together with ${file}-wal and ${file}-shm if they exist. Restore the file from a backup, start again, and run "colophon check" and "colophon rebuild". ` +
  'Keep the damaged files: "sqlite3 FILE .recover" may save what came after the backup.';
const rebuildInstructions = 'It can be built anew from the event log: "colophon start" sets it aside and does so.';

/** For the files that cannot be built anew: the event log and the blobs. @throws DamagedFileError */
export const requireUndamaged = (file: string | null): void => {
  const reason = file === null ? null : findDamage(file);
  if (reason !== null) throw new DamagedFileError(file!, reason, restoreInstructions(file!));
};

/** A damaged database that was renamed, so that it is built anew. */
export type SetAsideFile = { file: string; kept_as: string; reason: string };

const inodeOf = (file: string): number | null => statSync(file, { throwIfNoEntry: false })?.ino ?? null;

/**
 * Sets a damaged database aside, so that it is built anew; true if it did. Of several processes that start at once, one does it: the others must not set aside the file that it builds.
 * Without `onSetAside` the file is left as it is. @throws DamagedFileError then
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
