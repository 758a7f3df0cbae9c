import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import type { TemplateToPush } from '#application/templates/push.ts';
import { createTemplateRequestFor, sampleData } from '#contracts/http/templates.ts';
import { parseExactJson } from '#contracts/http/exact-numbers.ts';
import { invoiceFile, splitInvoice, withInvoice } from '#libs/templating/invoice-file.ts';
import { UsageError } from '../process/command-context.ts';
import { readLocalFileIfExists } from './local-files.ts';

/**
 * A template in a folder: its HTML, its other fields as JSON, sample data for it, and the template of an electronic
 * invoice, see libs/templating/invoice-file.ts.
 */
export const templateFiles = {
  content: 'template.html',
  fields: 'template.json',
  sample: 'sample.json',
  invoice: invoiceFile,
} as const;

const readOptional = async (file: string): Promise<string | null> =>
  (await readLocalFileIfExists(file))?.toString() ?? null;

/**
 * The JSON of a file. What a template is filled in with is parsed by `parseExactJson`, which keeps all digits.
 * @throws UsageError with the place of a syntax error
 */
export const parseJsonFile = (
  file: string,
  text: string,
  parse: (text: string) => unknown = (json) => JSON.parse(json),
): unknown => {
  try {
    return parse(text);
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${(error as Error).message}.`);
  }
};

/** The files of a template by name. Equal templates have equal files. */
export const filesOf = (template: TemplateToPush): Record<string, string> => {
  const { content, name, description, category, variables, labels, default_options, sample_data = {} } = template;
  const { options, xml } = splitInvoice(default_options);
  const fields = { name, description: description ?? undefined, category, variables, labels, default_options: options };
  return {
    [templateFiles.content]: content,
    [templateFiles.fields]: `${JSON.stringify(fields, null, 2)}\n`,
    ...(xml === null ? {} : { [templateFiles.invoice]: xml }),
    ...(Object.keys(sample_data).length === 0
      ? {}
      : { [templateFiles.sample]: `${JSON.stringify(sample_data, null, 2)}\n` }),
  };
};

/** Reads the template of a folder without its sample data. Without `template.json` its name is that of the folder. @throws UsageError */
export const readTemplateFolder = async (folder: string): Promise<TemplateToPush> => {
  const [contentFile, fieldsFile] = [join(folder, templateFiles.content), join(folder, templateFiles.fields)];
  const [content, fields, invoice] = await Promise.all([
    readOptional(contentFile),
    readOptional(fieldsFile),
    readOptional(join(folder, templateFiles.invoice)),
  ]);
  if (content === null)
    throw new UsageError(`There is no ${resolve(contentFile)}. A template is a folder with this file.`);
  const json = fields === null ? { name: basename(resolve(folder)) } : parseJsonFile(fieldsFile, fields);
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new UsageError(`${fieldsFile} must hold a JSON object.`);
  const { success, data, error } = createTemplateRequestFor(null).safeParse({ ...withInvoice(json, invoice), content });
  if (!success) throw new UsageError(`${fieldsFile} is not valid:\n${z.prettifyError(error)}`);
  const { sample_data: _, ...template } = data;
  return { ...template, description: data.description ?? null };
};

/** Whether a folder has the fields of a template, such as its labels. */
export const hasTemplateFields = async (folder: string): Promise<boolean> =>
  (await readOptional(join(folder, templateFiles.fields))) !== null;

/** The sample data of a folder; null if it has none. */
export const readSample = async (folder: string): Promise<unknown> => {
  const file = join(folder, templateFiles.sample);
  const text = await readOptional(file);
  return text === null ? null : parseJsonFile(file, text, parseExactJson);
};

/** Reads the template of a folder with its sample data, if there are any. @throws UsageError */
export const readTemplateWithSample = async (folder: string): Promise<TemplateToPush> => {
  const [template, sample] = await Promise.all([readTemplateFolder(folder), readSample(folder)]);
  if (sample === null) return template;
  const { success, data, error } = sampleData.safeParse(sample);
  if (!success) throw new UsageError(`${join(folder, templateFiles.sample)} is not valid:\n${z.prettifyError(error)}`);
  return { ...template, sample_data: data };
};

/** The folders with a template: the given ones, or the folders in them. @throws UsageError for a folder without any */
export const findTemplateFolders = async (paths: readonly string[]): Promise<string[]> => {
  const found = await Promise.all(
    paths.map(async (path) => {
      if ((await stat(path).catch(() => null))?.isFile())
        throw new UsageError(
          `${path} is a file. Name a folder with a ${templateFiles.content}, or a folder that contains such folders.`,
        );
      if ((await readOptional(join(path, templateFiles.content))) !== null) return [path];
      const entries = await readdir(path, { withFileTypes: true }).catch(() => {
        throw new UsageError(`There is no folder ${resolve(path)}.`);
      });
      const inner = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name));
      const holdsTemplate = await Promise.all(
        inner.map(async (folder) => (await readOptional(join(folder, templateFiles.content))) !== null),
      );
      const folders = inner.filter((_, index) => holdsTemplate[index]);
      if (folders.length === 0)
        throw new UsageError(`Neither ${path} nor a folder in it has a ${templateFiles.content}.`);
      return folders.toSorted();
    }),
  );
  return found.flat();
};

/** A folder name for a template. */
export const folderNameOf = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '') || 'template';

/** The files of the folder that have other contents than these. */
export const findConflicts = async (folder: string, files: Record<string, string>): Promise<string[]> => {
  const compared = await Promise.all(
    Object.entries(files).map(async ([name, content]) => {
      const existing = await readOptional(join(folder, name));
      return existing === null || existing === content ? [] : [join(folder, name)];
    }),
  );
  return compared.flat();
};

/** Writes files by name into a folder, which is created if needed. Existing files are replaced. */
export const writeTemplateFolder = async (folder: string, files: Record<string, string>): Promise<void> => {
  await mkdir(folder, { recursive: true });
  await Promise.all(Object.entries(files).map(([name, content]) => writeFile(join(folder, name), content)));
};
