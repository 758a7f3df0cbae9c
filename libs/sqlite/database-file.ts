import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { isReadable } from '#libs/config/setting-types.ts';

const signature = Buffer.from('SQLite format 3\0');

/** Whether a path is a file that SQLite made, an empty one, or one that this user cannot read. */
export const isDatabaseFile = (path: string): boolean => {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile()) return false;
  if (stats.size === 0) return true;
  if (!isReadable(path)) return true;
  const descriptor = openSync(path, 'r');
  try {
    const start = Buffer.alloc(signature.length);
    readSync(descriptor, start);
    return start.equals(signature);
  } finally {
    closeSync(descriptor);
  }
};
