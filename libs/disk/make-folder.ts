import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const errorCodeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/**
 * Creates a folder with those above it, if they are missing. Node's `recursive` does not end where a file system refuses
 * a folder with ENOENT, as in /proc. @throws the error of the file system, also if there is a file in place of a folder
 */
export const makeFolder = (path: string): void => {
  try {
    mkdirSync(path);
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT' && dirname(path) !== path) {
      makeFolder(dirname(path));
      // Another process may be faster, as above.
      if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) mkdirSync(path);
    } else if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
};
