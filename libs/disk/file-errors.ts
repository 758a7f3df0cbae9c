import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { defaultDataDir } from '#libs/config/setting-table.ts';
import { hasResultCode } from '#libs/sqlite/result-codes.ts';

/** Why a file cannot be written or a folder cannot be used, by the code of the error of Node. */
export const fileErrorReasons: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'access is denied',
  EPERM: 'access is denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EPIPE: 'its reader is gone',
};

const isIn = (folder: string, path: string): boolean => join(path, '/').startsWith(join(folder, '/'));

/** Which variable names the folder of the path. */
const hintFor = (path: string): string => {
  if (isIn(resolve(process.env['COLOPHON_DATA_DIR'] ?? defaultDataDir), path))
    return ' COLOPHON_DATA_DIR names the folder for data.';
  return isIn(tmpdir(), path) ? ' TMPDIR names the folder for temporary files.' : '';
};

/** With ENOSPC, the system watches as many files as it can. With ENOENT, other calls miss a file of the program itself. */
const isAboutFolder = ({ code, syscall = '' }: NodeJS.ErrnoException): boolean =>
  code === 'ENOENT' ? ['mkdir', 'mkdtemp', 'scandir'].includes(syscall) : syscall !== 'watch';

/** What is wrong with a folder or a database that the user chose, in sentences; null for other errors. */
export const describeFileError = (error: unknown): string | null => {
  if (!(error instanceof Error)) return null;
  const { code = '', path, message, syscall } = error as NodeJS.ErrnoException;
  if (code === 'ERR_SQLITE_ERROR')
    return hasResultCode(error, 'readOnly', 'cannotOpen')
      ? `${message}. Check that this user may write to the file and its folder.`
      : null;
  const reason = code === 'ENOENT' && syscall === 'mkdir' ? 'no folder can be made there' : fileErrorReasons[code];
  return path && reason && isAboutFolder(error) ? `${path} cannot be used: ${reason}.${hintFor(path)}` : null;
};
