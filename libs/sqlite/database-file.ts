import { closeSync, openSync, readSync, statSync } from 'node:fs';

const signature = Buffer.from('SQLite format 3\0');

/** Whether a path is a file that SQLite made, or an empty one. */
export const isDatabaseFile = (path: string): boolean => {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile()) return false;
  if (stats.size === 0) return true;
  const descriptor = openSync(path, 'r');
  try {
    const start = Buffer.alloc(signature.length);
    readSync(descriptor, start);
    return start.equals(signature);
  } finally {
    closeSync(descriptor);
  }
};
