import { DatabaseSync } from 'node:sqlite';
import { hasResultCode, withFileInError } from './result-codes.ts';

/**
 * Locks an empty file until the returned function is called or the process ends. Null if another process has locked it.
 * @throws an error of SQLite, with the file name, if the file cannot be opened
 */
export const lockFile = (file: string): (() => void) | null => {
  const database = withFileInError(file, () => new DatabaseSync(file, { timeout: 0 }));
  try {
    withFileInError(file, () => database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE'));
    return () => database.close();
  } catch (error) {
    database.close();
    if (hasResultCode(error, 'busy')) return null;
    throw error;
  }
};
