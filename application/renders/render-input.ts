import type { RenderSource } from '#contracts/events/render.ts';
import { truncateForMessage, ApiError } from '#contracts/http/api-error.ts';
import { type RenderOptions, renderOptions } from '#contracts/http/render-options.ts';
import type { ConvertRequest, TemplateRequest } from '#contracts/http/render.ts';
import { readModels } from '#contracts/names.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import type { TemplateDocument } from '#libs/projections/templates.ts';
import type { ReadCache } from '#libs/read-store/read-cache.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { readVariablesAndOptions } from '#application/templates/content.ts';
import { findTemplate, findVersion } from '#application/templates/queries.ts';
import type { Caller } from '#application/api-keys/queries.ts';
import type { ReadYourWrites } from '#application/command-handling/read-your-writes.ts';
import { planLimits } from '#application/accounts/queries.ts';

/** The raw bytes of texts that are too long to be parsed with the body. */
export type LongTexts = { data?: Uint8Array; header_html?: Uint8Array; footer_html?: Uint8Array };

/** `headerHtml` and `footerHtml` are the bytes of header_html and footer_html. */
export type RenderInput = {
  source: RenderSource;
  options: RenderOptions;
  headerHtml: Uint8Array | null;
  footerHtml: Uint8Array | null;
};
/** `templates` is keyed by bare id. */
export type SourceDependencies = {
  reads: ReadStore;
  templates: ReadCache<TemplateDocument>;
  inputs: BlobStore;
  readYourWrites: ReadYourWrites;
};

const definedFields = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const unknownTemplate = (templateId: string, template_version: number | undefined): ApiError => {
  const template_id = truncateForMessage(templateId);
  return template_version === undefined
    ? ApiError.of('render_template_not_found', `The account has no template ${template_id}.`, { template_id })
    : ApiError.of(
        'render_template_not_found',
        `The account has no template ${template_id} with a version ${template_version} that is still kept.`,
        { template_id, template_version },
      );
};

const webhookNames = new Set(['webhook_url', 'webhook_method', 'webhook_headers']);
const withoutWebhook = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !webhookNames.has(name))) as T;

type RenderContent = Pick<RenderInput, 'source' | 'options'>;

type TemplateRenderFields = Omit<TemplateRequest, 'mode'>;

const storeTemplateContent = async (
  dependencies: SourceDependencies,
  { account }: Caller,
  request: TemplateRenderFields,
  data: Uint8Array,
): Promise<RenderContent> => {
  const { reads, templates, inputs, readYourWrites } = dependencies;
  const { template_id, template_version, data: _, ...options } = request;
  await readYourWrites.waitForWrites(account.id, readModels.templates, readModels.templateVersions);
  const template = await findTemplate(templates, account.id, template_id);
  if (!template) throw unknownTemplate(template_id, template_version);
  const version = template_version ?? template.version;
  // The template document has the current version.
  const body =
    version === template.version
      ? template
      : (await findVersion(reads, template, version, planLimits(account).keptVersions))?.body;
  if (!body) throw unknownTemplate(template_id, template_version);
  const [{ default_options }, dataRef] = await Promise.all([readVariablesAndOptions(inputs, body), inputs.put(data)]);
  const { locale: _locale, time_zone: _timeZone, ...presets } = default_options;
  return {
    source: {
      mode: 'RENDER',
      templateId: template.id,
      templateVersion: version,
      content: body.content,
      settings: body.settings,
      data: dataRef,
    },
    options: renderOptions.parse({ ...presets, ...definedFields(withoutWebhook(options)) }),
  };
};

const storeContent = async (
  dependencies: SourceDependencies,
  caller: Caller,
  request: ConvertRequest | TemplateRequest,
  data: Uint8Array,
): Promise<RenderContent> => {
  if (request.mode === 'RENDER') {
    const { mode: _, ...fields } = request;
    return storeTemplateContent(dependencies, caller, fields, data);
  }
  const { mode: _mode, input_type: inputType, data: _data, ...options } = request;
  const input = await dependencies.inputs.put(data);
  return { source: { mode: 'CONVERT', inputType, input }, options: withoutWebhook(options) };
};

const htmlBytes = (text: string | null, longText: Uint8Array | undefined): Uint8Array | null =>
  text === null || text === '' ? null : (longText ?? Buffer.from(text));

/**
 * Stores the content of a render request. The options of the request override those of the template.
 * @throws ApiError render_template_not_found
 */
export const storeRenderInput = async (
  dependencies: SourceDependencies,
  caller: Caller,
  request: ConvertRequest | TemplateRequest,
  longTexts: LongTexts,
): Promise<RenderInput> => {
  const content = await storeContent(
    dependencies,
    caller,
    request,
    longTexts.data ?? Buffer.from(request.data as string),
  );
  const { header_html, footer_html } = content.options;
  return {
    ...content,
    headerHtml: htmlBytes(header_html, longTexts.header_html),
    footerHtml: htmlBytes(footer_html, longTexts.footer_html),
  };
};
