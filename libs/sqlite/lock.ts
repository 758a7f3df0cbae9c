import { DatabaseSync } from 'node:sqlite';

const sqliteBusy = 5;

/**
 * Locks an empty file until the returned function is called or the process ends. Null if another process has locked it.
 * @throws an error of SQLite if the file cannot be opened
 */
export const lockFile = (file: string): (() => void) | null => {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return () => database.close();
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === sqliteBusy) return null;
    throw error;
  }
};
