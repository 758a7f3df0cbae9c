import { readFile, stat } from 'node:fs/promises';

/** Gives what a file says, and reads it again when it has changed. Where it cannot be read, `parse` gets an empty text. */
export const followFile = <T>(path: string, parse: (text: string) => T): (() => Promise<T>) => {
  let known: { stamp: string; value: T } | undefined;
  return async () => {
    const stamp = await stat(path).then(({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`, () => 'absent');
    if (known?.stamp !== stamp) known = { stamp, value: parse(await readFile(path, 'utf8').catch(() => '')) };
    return known.value;
  };
};
