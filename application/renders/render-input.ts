import { truncateForMessage, ApiError } from '#contracts/http/api-error.ts';
import { encryptionProblem } from '#contracts/http/encryption.ts';
import { mergeRenderOptions, type NamedRenderOptions } from '#contracts/http/render-options.ts';
import { findOutputProblems } from '#contracts/http/output.ts';
import type { ComposeRequest } from '#contracts/http/compose.ts';
import type { ConvertRequest, TemplateRequest } from '#contracts/http/render.ts';
import { readModels } from '#contracts/names.ts';
import { readVariablesAndOptions } from '#application/templates/content.ts';
import { findTemplate, findVersion, idOfTemplateNamed, keptVersionsHint } from '#application/templates/queries.ts';
import type { Caller } from '#application/callers/caller.ts';
import { requireAttachmentLimits, requireCompatibleOptions } from './option-conflicts.ts';
import { sealEncryption } from './encryption-secrets.ts';
import {
  type ReceivedContent,
  type RenderContent,
  type RenderInput,
  type SourceDependencies,
  type Upload,
  withAttachedFiles,
} from './render-content.ts';
import { storeComposition } from './compose/composition-input.ts';
import { accountDefaultsFor } from '#application/accounts/render-settings.ts';
import { planLimits } from '#application/accounts/queries.ts';

const unknownTemplate = (templateId: string, hint: string): ApiError => {
  const template_id = truncateForMessage(templateId);
  return ApiError.of(
    'render_template_not_found',
    `The account has no template with the id ${template_id}. GET /api/v1/templates lists the ids.${hint}`,
    { field: 'template_id', template_id },
  );
};

const unknownVersion = (template_id: string, template_version: number, hint: string): ApiError =>
  ApiError.of(
    'render_template_not_found',
    `The account has no template ${template_id} with a version ${template_version} that is still kept.${hint}`,
    { field: 'template_version', template_id, template_version },
  );

const webhookNames = new Set(['webhook_url', 'webhook_method', 'webhook_headers']);
const withoutWebhook = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !webhookNames.has(name))) as T;

/**
 * The options, if what the request names does not contradict the output, which can be that of the template.
 * @throws ApiError invalid_request
 */
const requireConsistentOutput = (request: object, options: NamedRenderOptions): NamedRenderOptions => {
  const problem = findOutputProblems(options).find(({ field }) => field in request);
  if (!problem) return options;
  const { field, message } = problem;
  throw ApiError.of('invalid_request', `${field} ${message}.`, { field });
};

/** Takes the passwords out of the options. @throws ApiError invalid_request if another option excludes encryption */
const withSealedEncryption = async (
  { inputs, secrets }: SourceDependencies,
  accountId: string,
  { options: { encryption, ...options }, ...content }: RenderContent,
): Promise<RenderContent & Pick<RenderInput, 'encryption'>> => {
  if (!encryption) return { ...content, options };
  const problem = encryptionProblem({ ...options, encryption });
  if (problem) throw ApiError.of('invalid_request', problem.message, { field: problem.field });
  return { ...content, options, encryption: await sealEncryption({ blobs: inputs, secrets }, accountId, encryption) };
};

const storeTemplateContent = async (
  dependencies: SourceDependencies,
  { account }: Caller,
  request: TemplateRequest,
  data: Uint8Array,
): Promise<RenderContent> => {
  const { reads, templates, inputs, readYourWrites } = dependencies;
  const { mode: _mode, template_id, template_version, data: _data, ...options } = request;
  await readYourWrites.waitForWrites(account.id, readModels.templates, readModels.templateVersions);
  const template = await findTemplate(templates, account.id, template_id);
  if (!template) throw unknownTemplate(template_id, await idOfTemplateNamed(reads, account.id, template_id));
  const version = template_version ?? template.version;
  // The template document has the current version.
  const { keptVersions } = planLimits(account);
  const body =
    version === template.version ? template : (await findVersion(reads, template, version, keptVersions))?.body;
  if (!body) throw unknownVersion(template_id, version, keptVersionsHint(template.version, keptVersions));
  const [{ default_options }, dataRef] = await Promise.all([readVariablesAndOptions(inputs, body), inputs.put(data)]);
  return {
    source: {
      mode: 'RENDER',
      templateId: template.id,
      templateVersion: version,
      content: body.content,
      settings: body.settings,
      data: dataRef,
    },
    options: requireConsistentOutput(options, mergeRenderOptions(default_options, withoutWebhook(options))),
  };
};

const storeContent = async (
  dependencies: SourceDependencies,
  caller: Caller,
  request: ConvertRequest | TemplateRequest,
  data: Uint8Array,
  file: Upload['file'],
): Promise<RenderContent> => {
  if (request.mode === 'RENDER') return storeTemplateContent(dependencies, caller, request, data);
  const { mode: _mode, input_type: inputType, data: _data, url_headers, url_cookies, ...options } = request;
  const input = await dependencies.inputs.put(data);
  return {
    source: { mode: 'CONVERT', inputType, input, ...(file ? { upload: file } : {}) },
    options: requireConsistentOutput(options, withoutWebhook(options)),
    ...(inputType === 'url'
      ? { page: { url: request.data as string, headers: url_headers ?? {}, cookies: url_cookies ?? [] } }
      : {}),
  };
};

const htmlBytes = (text: string | null | undefined, longText: Uint8Array | undefined): Uint8Array | null =>
  text === undefined || text === null || text === '' ? null : (longText ?? Buffer.from(text));

/**
 * Stores the content of a render request. The options of the request override those of the template.
 * @throws ApiError render_template_not_found, invalid_request
 */
export const storeRenderInput = async (
  dependencies: SourceDependencies,
  caller: Caller,
  request: ConvertRequest | TemplateRequest | ComposeRequest,
  { longTexts, partTexts = [], upload = null }: ReceivedContent,
): Promise<RenderInput> => {
  const assets = upload?.assets ? await dependencies.inputs.put(upload.assets) : null;
  const received = async (): Promise<RenderContent> => {
    if (request.mode === 'COMPOSE') {
      const stored = await storeComposition(dependencies, request, {
        longTexts,
        partTexts,
        assets,
        files: upload?.parts ?? [],
        storePart: (part, data, file) => storeContent(dependencies, caller, part, data, file),
      });
      return { ...stored, options: withoutWebhook(stored.options) };
    }
    const data = longTexts.data ?? Buffer.from(request.data as string);
    const stored = await storeContent(dependencies, caller, request, data, upload?.file ?? null);
    return assets ? { ...stored, source: { ...stored.source, assets } } : stored;
  };
  const { options: named, ...content } = await withSealedEncryption(dependencies, caller.account.id, await received());
  const options = withAttachedFiles(named, longTexts);
  requireCompatibleOptions(options);
  requireAttachmentLimits(options, planLimits(caller.account));
  const accountDefaults = accountDefaultsFor(caller.account, options);
  return {
    ...content,
    options,
    ...(accountDefaults && { accountDefaults }),
    headerHtml: htmlBytes(options.header_html, longTexts.header_html),
    footerHtml: htmlBytes(options.footer_html, longTexts.footer_html),
  };
};
