import { statSync } from 'node:fs';
import { findDamage, setAside } from '#libs/sqlite/damage.ts';

/** A database file that is damaged, and cannot be built anew here. The message names it and says what to do. */
export class DamagedFile extends Error {
  constructor(file: string, reason: string, remedy: string) {
    super(`The database ${file} is damaged: ${reason}. ${remedy}`);
    this.name = 'DamagedFile';
  }
}

const restore = 'It cannot be built anew from anything else: stop the service, restore this file from a backup, start again, and run "colophon check" and "colophon rebuild". Keep the damaged file: "sqlite3 FILE .recover" may save what came after the backup.';
const startAnew = 'It can be built anew from the event log: "colophon start" sets it aside and does so.';

/** @throws DamagedFile where the file of what nothing else holds, the event log or the blobs, is damaged */
export const requireSound = (file: string | null): void => {
  const reason = file === null ? null : findDamage(file);
  if (reason !== null) throw new DamagedFile(file!, reason, restore);
};

/** A damaged database that was renamed, so that it is built anew. */
export type SetAside = { file: string; kept_as: string; reason: string };

const inodeOf = (file: string): number | null => statSync(file, { throwIfNoEntry: false })?.ino ?? null;

/**
 * Sets a database aside that is damaged and can be built anew; true where it did. Of several processes that start at once one does: the others must not set aside what it builds.
 * Without anybody to tell it is left as it is. @throws DamagedFile then
 */
export const soundOrSetAside = (file: string | null, onSetAside: ((what: SetAside) => void) | undefined, now = new Date(), find = findDamage): boolean => {
  if (file === null) return false;
  for (;;) {
    const inode = inodeOf(file);
    const reason = find(file);
    if (reason === null) return false;
    if (!onSetAside) throw new DamagedFile(file, reason, startAnew);
    if (inodeOf(file) !== inode) continue;
    onSetAside({ file, kept_as: setAside(file, now), reason });
    return true;
  }
};
