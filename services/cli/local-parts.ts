import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parseExactJson } from '#contracts/http/exact-numbers.ts';
import { isObject } from '#contracts/http/type-names.ts';
import { UsageError } from '../process/command-context.ts';
import { findLocalAssets, type LocalAsset, readLocalFile } from './local-files.ts';
import { parseJsonFile, templateFiles } from './template-files.ts';

type Part = Record<string, unknown>;

/** A file of a part, with the name under which it is sent. */
export type LocalPartFile = { name: string; path: string; bytes: Uint8Array };

/**
 * The parts of a composed document. `templates` are the folders of templates, with the part that each fills in. `labels`
 * are the names of the parts in errors.
 */
export type LocalParts = {
  parts: Part[];
  whole: Record<string, unknown>;
  files: LocalPartFile[];
  assets: LocalAsset[];
  templates: { part: Part; path: string }[];
  labels: string[];
};

/** False for a file, and if there is nothing at the path. */
export const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );

/** Collects files by path, and gives each a name of its own: the last part of its path, if no other file has it. */
const collectFiles = () => {
  const files = new Map<string, LocalPartFile>();
  const nameOf = (path: string): string => {
    const names = new Set([...files.values()].map(({ name }) => name));
    return [basename(path), path].find((name) => !names.has(name)) ?? `${files.size}-${basename(path)}`;
  };
  const add = async (path: string): Promise<LocalPartFile> => {
    const file = files.get(path) ?? { name: nameOf(path), path, bytes: await readLocalFile(path) };
    files.set(path, file);
    return file;
  };
  return { files, add };
};

/** All parts have the same assets, so two different files cannot have one name. @throws UsageError */
const collectAssets = () => {
  const assets = new Map<string, LocalAsset>();
  const add = (found: readonly LocalAsset[]): void => {
    for (const asset of found) {
      const known = assets.get(asset.name);
      if (known && !Buffer.from(known.bytes).equals(asset.bytes))
        throw new UsageError(
          `${known.file} and ${asset.file} have the same name in their documents, ${asset.name}. Rename one of them.`,
        );
      assets.set(asset.name, known ?? asset);
    }
  };
  return { assets, add };
};

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

/** Reads parts that name a `file`, or the folder of a template in `template`, relative to `folder`. @throws UsageError */
const readParts = async (
  named: readonly unknown[],
  from: string,
  folder: string,
): Promise<Omit<LocalParts, 'whole'>> => {
  const files = collectFiles();
  const assets = collectAssets();
  const read: Pick<LocalParts, 'parts' | 'templates' | 'labels'> = { parts: [], templates: [], labels: [] };
  for (const [index, entry] of named.entries()) {
    if (!isObject(entry)) throw new UsageError(`${from}: parts[${index}] must be an object.`);
    const { file: fileName, template, ...part } = entry;
    if (typeof fileName === 'string') {
      const path = join(folder, fileName);
      const { name, bytes } = await files.add(path);
      if (/\.(?:html?|md|markdown)$/i.test(path)) assets.add(await findLocalAssets(path, textOf(bytes)));
      read.parts.push({ ...part, file: name });
      read.labels.push(path);
    } else if (typeof template === 'string') {
      const path = join(folder, template);
      const ofTemplate: Part = { mode: 'RENDER', ...part };
      const content = join(path, templateFiles.content);
      assets.add(await findLocalAssets(content, textOf(await readLocalFile(content))));
      read.templates.push({ part: ofTemplate, path });
      read.parts.push(ofTemplate);
      read.labels.push(content);
    } else {
      read.parts.push(part);
      read.labels.push(`${from}: parts[${index}]`);
    }
  }
  return { ...read, files: [...files.files.values()], assets: [...assets.assets.values()] };
};

/** Reads the JSON file of `--compose`: an array of parts, or an object with `parts` and other fields. @throws UsageError */
export const readPartsFile = async (file: string): Promise<LocalParts> => {
  const json: unknown = parseJsonFile(file, (await readLocalFile(file)).toString(), parseExactJson);
  const { parts: named, ...whole } = Array.isArray(json) ? { parts: json as unknown[] } : (json as Part);
  if (!Array.isArray(named)) throw new UsageError(`${file} must be a JSON array, or an object with the array "parts".`);
  return { ...(await readParts(named, file, dirname(file))), whole };
};

/** The parts of several files and folders of templates, in their order. @throws UsageError */
export const readPartsOfFiles = async (paths: readonly string[]): Promise<LocalParts> => {
  const named: Part[] = [];
  for (const path of paths) named.push((await isFolder(path)) ? { template: path } : { file: path });
  return { ...(await readParts(named, 'the files', '')), whole: {} };
};
