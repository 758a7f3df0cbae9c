import { readFile, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path';
import { fileErrorReasons } from '#libs/disk/file-errors.ts';
import { UsageError } from '../process/command-context.ts';

/** A file that a document refers to. `name` is its path from the folder of the document, with slashes. */
export type LocalAsset = { name: string; file: string; bytes: Uint8Array };

/** Reads a file that the user named; null if there is none. @throws UsageError with the reason */
export const readLocalFileIfExists = async (file: string): Promise<Buffer | null> => {
  try {
    return await readFile(file);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new UsageError(`${file} cannot be read: ${fileErrorReasons[code] ?? message}.`);
  }
};

/** The same for a file that must exist. @throws UsageError with the reason */
export const readLocalFile = async (file: string): Promise<Buffer> => {
  const bytes = await readLocalFileIfExists(file);
  if (!bytes) throw new UsageError(`There is no file ${resolve(file)}.`);
  return bytes;
};

const references = [
  /(?:src|href|srcset|poster|background)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi,
  /url\(\s*(?:"([^"]*)"|'([^']*)'|([^"')]+))\s*\)/gi,
  /@import\s+(?:"([^"]*)"|'([^']*)')/gi,
  /!\[[^\]]*\]\(\s*(?:<([^>]*)>|([^\s)]+))/g,
  /^\s*\[[^\]]+\]:\s*(?:<([^>]*)>|(\S+))/gm,
];

const decoded = (reference: string): string => {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
};

/** The relative paths that a text may refer to. Paths that it only mentions do no harm. */
const candidatesIn = (text: string): string[] =>
  references
    .flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match.slice(1).find((group) => group) ?? ''))
    .flatMap((reference) => reference.split(/\s*,\s+/).flatMap((item) => [item, item.split(/\s+/)[0]!]))
    .map((reference) => decoded(reference.trim().replace(/[?#].*$/s, '')))
    .filter((reference) => reference !== '' && !/^(?:[a-z][a-z\d+.-]*:|\/|\\)/i.test(reference));

const maxAssets = 100;
const maxAssetBytes = 50 * 1024 * 1024;

const isFile = async (file: string): Promise<boolean> =>
  stat(file).then(
    (stats) => stats.isFile() && stats.size <= maxAssetBytes,
    () => false,
  );

/** The files below the folder of a document that it refers to, and those that its style sheets refer to. */
export const findLocalAssets = async (document: string, text: string): Promise<LocalAsset[]> => {
  const folder = dirname(document);
  const found = new Map<string, LocalAsset>();
  const visit = async (from: string, content: string): Promise<void> => {
    for (const candidate of candidatesIn(content)) {
      const file = normalize(join(dirname(from), candidate));
      const name = relative(folder, file);
      if (name.startsWith('..') || isAbsolute(name) || found.has(name) || found.size >= maxAssets) continue;
      if (!(await isFile(file))) continue;
      const asset = { name: name.split(sep).join('/'), file, bytes: await readLocalFile(file) };
      found.set(name, asset);
      if (/\.css$/i.test(name)) await visit(file, asset.bytes.toString('utf8'));
    }
  };
  await visit(document, text);
  return [...found.values()];
};
