import type { TemplateBody } from '#contracts/events/template.ts';
import type { DefaultOptions, VariableDeclaration } from '#contracts/http/templates.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';

/** The part of a template that only the renderer needs. One blob, since it can be large. */
export type TemplateVariablesAndOptions = { variables: VariableDeclaration[]; default_options: DefaultOptions };

/** A whole template, as in the API. */
export type FullTemplate = TemplateVariablesAndOptions &
  Pick<TemplateBody, 'name' | 'description' | 'category'> & { content: string };

const readText = async (blobs: BlobStore, sha256: string): Promise<string> =>
  Buffer.from(await blobs.get(sha256)).toString('utf8');

/** Stores the large parts of a template as blobs. */
export const storeTemplate = async (
  blobs: BlobStore,
  { content, variables, default_options, name, description, category }: FullTemplate,
): Promise<TemplateBody> => {
  const settings: TemplateVariablesAndOptions = { variables, default_options };
  const [contentRef, settingsRef] = await Promise.all([
    blobs.put(Buffer.from(content)),
    blobs.put(Buffer.from(JSON.stringify(settings))),
  ]);
  return { name, description, category, content: contentRef, settings: settingsRef };
};

/** The variables and default options of a version. @throws BlobNotFound */
export const readVariablesAndOptions = async (
  blobs: BlobStore,
  { settings }: Pick<TemplateBody, 'settings'>,
): Promise<TemplateVariablesAndOptions> =>
  JSON.parse(await readText(blobs, settings.sha256)) as TemplateVariablesAndOptions;

/** The HTML of a version. @throws BlobNotFound */
export const readContent = (blobs: BlobStore, { content }: Pick<TemplateBody, 'content'>): Promise<string> =>
  readText(blobs, content.sha256);

/** A whole version. @throws BlobNotFound */
export const readTemplate = async (blobs: BlobStore, body: TemplateBody): Promise<FullTemplate> => {
  const [content, settings] = await Promise.all([readContent(blobs, body), readVariablesAndOptions(blobs, body)]);
  return { name: body.name, description: body.description, category: body.category, content, ...settings };
};
