import { isDeepStrictEqual } from 'node:util';
import type { TemplateBody } from '#contracts/events/template.ts';
import type { DefaultOptions, VariableDeclaration } from '#contracts/http/templates.ts';
import type { TemplateLabels } from '#contracts/http/template-labels.ts';
import { parseExactJson } from '#contracts/http/exact-numbers.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';

/** The part of a template that only the renderer needs. One blob, since it can be large. */
export type TemplateVariablesAndOptions = {
  variables: VariableDeclaration[];
  default_options: DefaultOptions;
  /** Absent if there are none. */
  labels?: TemplateLabels;
};

/** A whole template, as in the API. */
export type FullTemplate = Required<TemplateVariablesAndOptions> &
  Pick<TemplateBody, 'name' | 'description' | 'category'> & {
    content: string;
    /** Example data, for previews. Empty if there is none. */
    sample_data: Record<string, unknown>;
  };

const readText = async (blobs: BlobStore, sha256: string): Promise<string> =>
  Buffer.from(await blobs.get(sha256)).toString('utf8');

const isEmpty = (object: object): boolean => Object.keys(object).length === 0;

/** Stores the large parts of a template as blobs. */
export const storeTemplate = async (
  blobs: BlobStore,
  { content, variables, default_options, labels, sample_data, name, description, category }: FullTemplate,
): Promise<TemplateBody> => {
  const hasLabels = !isEmpty(labels);
  const settings: TemplateVariablesAndOptions = { variables, default_options, ...(hasLabels ? { labels } : {}) };
  const [contentRef, settingsRef, sampleRef] = await Promise.all([
    blobs.put(Buffer.from(content)),
    blobs.put(Buffer.from(JSON.stringify(settings))),
    isEmpty(sample_data) ? null : blobs.put(Buffer.from(JSON.stringify(sample_data))),
  ]);
  return {
    name,
    description,
    category,
    content: contentRef,
    settings: settingsRef,
    ...(sampleRef ? { sampleData: sampleRef } : {}),
  };
};

/** By the bytes: a cache of blobs returns the same ones again. Nothing changes a parsed object. */
const parsedSettings = new WeakMap<Uint8Array, TemplateVariablesAndOptions>();

/** The variables and default options of a version. @throws BlobNotFound */
export const readVariablesAndOptions = async (
  blobs: BlobStore,
  { settings }: Pick<TemplateBody, 'settings'>,
): Promise<TemplateVariablesAndOptions> => {
  const bytes = await blobs.get(settings.sha256);
  const known = parsedSettings.get(bytes);
  if (known) return known;
  const parsed = JSON.parse(Buffer.from(bytes).toString('utf8')) as TemplateVariablesAndOptions;
  parsedSettings.set(bytes, parsed);
  return parsed;
};

/** The HTML of a version. @throws BlobNotFound */
export const readContent = (blobs: BlobStore, { content }: Pick<TemplateBody, 'content'>): Promise<string> =>
  readText(blobs, content.sha256);

/** The sample data of a version; empty if it has none. @throws BlobNotFound */
const readSampleData = async (
  blobs: BlobStore,
  { sampleData }: Pick<TemplateBody, 'sampleData'>,
): Promise<Record<string, unknown>> =>
  sampleData ? (parseExactJson(await readText(blobs, sampleData.sha256)) as Record<string, unknown>) : {};

/** A whole version. @throws BlobNotFound */
export const readTemplate = async (blobs: BlobStore, body: TemplateBody): Promise<FullTemplate> => {
  const [content, settings, sample_data] = await Promise.all([
    readContent(blobs, body),
    readVariablesAndOptions(blobs, body),
    readSampleData(blobs, body),
  ]);
  const { name, description, category } = body;
  const { variables, default_options, labels = {} } = settings;
  return { name, description, category, content, variables, default_options, labels, sample_data };
};

/** The names of the fields in which two versions differ. */
export const changedFields = (before: FullTemplate, after: FullTemplate): (keyof FullTemplate)[] =>
  (Object.keys(after) as (keyof FullTemplate)[]).filter((field) => !isDeepStrictEqual(before[field], after[field]));
