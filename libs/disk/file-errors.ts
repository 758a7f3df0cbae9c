import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Why a file cannot be written or a folder cannot be used, by the code of the error of Node. */
export const fileErrorReasons: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'access is denied',
  EPERM: 'access is denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};

/** READONLY and CANTOPEN (https://www.sqlite.org/rescode.html). */
const unusableDatabase: ReadonlySet<number> = new Set([8, 14]);

const hint = 'COLOPHON_DATA_DIR names the folder for data, TMPDIR the one for temporary files.';

/** What is wrong with a folder or a database that the settings name, for a person; null for other errors. */
export const describeFileError = (error: unknown): string | null => {
  const { code = '', path, errcode = 0, message } = error as NodeJS.ErrnoException & { errcode?: number };
  if (code === 'ERR_SQLITE_ERROR') return unusableDatabase.has(errcode % 256) ? `${message}. ${hint}` : null;
  const reason = fileErrorReasons[code];
  // A file of the program itself that is missing is no mistake of the user.
  const canBeMistake = code !== 'ENOENT' || path?.startsWith(join(tmpdir(), '/')) || path === tmpdir();
  return path && reason && canBeMistake ? `${path} cannot be used: ${reason}. ${hint}` : null;
};
