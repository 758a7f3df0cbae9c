import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { readTemplate } from '#application/templates/content.ts';
import { withAttachedFiles } from '#application/renders/render-content.ts';
import { previewTaskOf, type PreviewReply, type TemplateToPreview } from '#application/templates/preview.ts';
import { requireTemplateContent, requireTemplateSize } from '#application/templates/require-content.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import {
  exampleTemplate,
  maxPreviewDataMb,
  previewTemplateRequest,
  previewTemplateRequestFor,
  templatePreviewResponse,
} from '#contracts/http/template-previews.ts';
import { pdfContentType } from '#contracts/http/output.ts';
import { readModels } from '#contracts/names.ts';
import { asBuffer } from '#libs/bytes/as-buffer.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import type { TemplateVersionDocument } from '#libs/projections/template-versions.ts';
import { bytesPerMb, bytesToKb, bytesToMb } from '#libs/sizes/sizes.ts';
import { readExamples } from '#libs/templating/examples.ts';
import { newId } from '#libs/ids/ulids.ts';
import { defaultSelectorErrors, selectorErrors } from '../renders/document-fields.ts';
import { warningsFieldOf } from '../renders/warnings.ts';
import { prefersPdf } from '../server/accepts-pdf.ts';
import { attachmentOf } from '../server/attachment.ts';
import { requirePermission } from '../server/authenticate.ts';
import type { CallerContext } from '../server/context.ts';
import type { Dependencies } from '../server/dependencies.ts';
import { matchesIfNoneMatch } from '../server/etag.ts';
import { nameSchema, renderingErrors, route, type Route, ok } from '../server/route.ts';
import { validate } from '../server/validation/validate.ts';
import { templateExamples, templateVersionParams } from './reference.ts';
import { requireTemplateDocument, requireVersion } from './require-template.ts';

const previewResponse = ok('The PDF.', nameSchema('TemplatePreview', templatePreviewResponse), {
  contentType: pdfContentType,
  headers: {
    'X-Page-Count': 'With the PDF itself: the number of its pages.',
    'X-Duration-Ms': 'With the PDF itself: the time of the renderer in milliseconds.',
  },
});

const previewErrors = [
  'template_render_error',
  'invalid_html',
  'preview_replaced',
  'concurrency_limit_exceeded',
  ...renderingErrors,
] as const;

/** Sends the PDF as its bytes or in JSON, as the caller prefers. */
const sendPreview = (reply: FastifyReply, { pdf, pages, durationMs, warnings }: PreviewReply): FastifyReply => {
  reply.header('vary', 'Accept');
  if (prefersPdf(reply.request))
    return reply
      .headers({
        'content-type': pdfContentType,
        'content-disposition': attachmentOf('preview.pdf'),
        'x-content-type-options': 'nosniff',
        'x-page-count': pages,
        'x-duration-ms': durationMs,
      })
      .send(asBuffer(pdf));
  return reply.send({
    pdf_base64: asBuffer(pdf).toString('base64'),
    pages,
    file_size_kb: bytesToKb(pdf.byteLength),
    duration_ms: durationMs,
    ...warningsFieldOf(warnings),
  });
};

const requireDataSize = (...texts: (string | Uint8Array | null | undefined)[]): void => {
  const bytes = texts.reduce((sum, text) => sum + (text ? Buffer.byteLength(text) : 0), 0);
  if (bytes <= maxPreviewDataMb * bytesPerMb) return;
  const message = `Data, header and footer of a preview may have ${maxPreviewDataMb} MB together.`;
  throw ApiError.of('payload_too_large', message, {
    max_size_mb: maxPreviewDataMb,
    received_size_mb: bytesToMb(bytes),
  });
};

/** The template of the body. Long texts are not in the body itself. @throws ApiError payload_too_large */
const templateOf = ({ body, longTexts }: CallerContext<z.output<typeof previewTemplateRequest>>): TemplateToPreview => {
  const { content, variables, default_options, labels, data: object, editor: _, ...options } = body;
  const data = longTexts.data ?? Buffer.from(JSON.stringify(object));
  const { header_html: longHeader, footer_html: longFooter } = longTexts;
  requireDataSize(data, longHeader ?? options.header_html, longFooter ?? options.footer_html);
  const long = {
    ...(longHeader ? { header_html: Buffer.from(longHeader).toString('utf8') } : {}),
    ...(longFooter ? { footer_html: Buffer.from(longFooter).toString('utf8') } : {}),
  };
  const text = Buffer.from(data).toString('utf8');
  const named = withAttachedFiles({ ...options, ...long }, longTexts);
  return { content, variables, default_options, labels, data: text, options: named };
};

/** Previews of stored versions, which never change. At most this many bytes of PDFs are kept. */
const maxKeptBytes = 32 * 1024 * 1024;
const keptPreviews = new LRUCache<string, PreviewReply>({
  maxSize: maxKeptBytes,
  sizeCalculation: ({ pdf }) => pdf.byteLength + 1_000,
});

/** Changes with everything that the preview of a version shows, and with the version of the service. */
const etagOf = (
  { body, createdAt }: TemplateVersionDocument,
  { settings }: Pick<AccountDocument, 'settings'>,
  version: string,
): string => {
  const { content, settings: ownSettings, sampleData } = body;
  const hashes = [content.sha256, ownSettings.sha256, sampleData?.sha256];
  const parts = JSON.stringify([...hashes, createdAt, settings?.locale, settings?.timeZone, version]);
  return `"${hash('sha256', parts, 'hex').slice(0, 32)}"`;
};

const renderVersion = async (
  dependencies: Dependencies,
  context: CallerContext,
  version: TemplateVersionDocument,
): Promise<PreviewReply> => {
  const { inputs, eventLog, previews, previewLimiter } = dependencies;
  const { sample_data, content, variables, default_options, labels } = await readTemplate(inputs, version.body);
  const template = { content, variables, default_options, labels, data: JSON.stringify(sample_data), options: {} };
  const owner = { accountId: context.account.id, editor: null, maxWaitMs: context.limits.processingMs };
  return previewLimiter.run(owner, () => {
    const now = eventLog.now();
    // The date of the version, so that the same version always gives the same PDF.
    return previews.render(previewTaskOf(context, template, { id: newId(now), at: new Date(version.createdAt), now }));
  });
};

let examples: ReturnType<typeof readExamples> | undefined;

/** Previews of templates: nothing is stored or recorded, and nothing counts toward the quota. */
export const templatePreviewRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/templates/examples',
    operationId: 'listExampleTemplates',
    tag: 'Templates',
    summary: 'List the example templates',
    description:
      'Lists the templates that are delivered with the service, with their sample data. To use one, send its fields ' +
      'without `example` to POST /templates.',
    permission: 'templates:read',
    responses: [ok('The examples.', nameSchema('ExampleTemplates', z.object({ examples: z.array(exampleTemplate) })))],
    handle: async () => ({
      examples: (await (examples ??= readExamples())).map(({ folder, template, sample }) => ({
        example: folder,
        ...template,
        sample_data: sample,
      })),
    }),
  }),
  route({
    method: 'POST',
    path: '/api/v1/templates/preview',
    operationId: 'previewTemplate',
    tag: 'Templates',
    summary: 'Preview a template that is not stored',
    description:
      'Makes the PDF of a template with data, for an editor that shows it while a person types. A preview is not a ' +
      'render: it has no id, the event log has nothing about it, and it counts toward the requests per minute only. ' +
      'An account has two previews at once; up to six more wait (beyond that `concurrency_limit_exceeded`). A preview may ' +
      'take as long as a render. The key also needs the permission `render:create`.',
    permission: 'templates:read',
    request: {
      body: nameSchema('PreviewTemplate', previewTemplateRequest),
      readBody: (fields, { maxVariables }) =>
        validate(previewTemplateRequestFor(maxVariables), fields, [
          ...defaultSelectorErrors(fields),
          ...selectorErrors(fields.wait_for_selector),
        ]),
      examples: templateExamples.preview,
    },
    responses: [previewResponse],
    errors: [
      'invalid_page_size',
      'invalid_orientation',
      'invalid_template_syntax',
      'template_too_large',
      ...previewErrors,
    ],
    handle: async (context, dependencies) => {
      requirePermission(context, 'render:create');
      const { account, limits, body, id, actor, reply } = context;
      const { eventLog, preparation, previews, previewLimiter } = dependencies;
      const template = templateOf(context);
      const editor = body.editor === undefined ? null : `${JSON.stringify(actor)} ${body.editor}`;
      requireTemplateSize(body.content, limits);
      const owner = { accountId: account.id, editor, maxWaitMs: limits.processingMs };
      const rendered = await previewLimiter.run(owner, async () => {
        const now = eventLog.now();
        try {
          return await previews.render(previewTaskOf(context, template, { id, at: now, now }));
        } catch (error) {
          // To look for mistakes before each preview would make all of them slower.
          await requireTemplateContent(preparation, body, limits, account.id);
          throw error;
        }
      });
      reply.header('cache-control', 'no-store');
      return sendPreview(reply, rendered);
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/templates/{id}/versions/{version}/preview',
    operationId: 'previewTemplateVersion',
    tag: 'Templates',
    summary: 'Preview a stored version',
    description:
      'Makes the PDF of a version with its sample data. It is not a render, as with POST /templates/preview. The ' +
      'response may be kept: ask again with `If-None-Match`.',
    permission: 'templates:read',
    request: { params: templateVersionParams },
    responses: [
      {
        ...previewResponse,
        headers: { ...previewResponse.headers, ETag: 'Changes with the preview. The same version has the same.' },
      },
      { status: 304, description: 'The preview is the one that `If-None-Match` names.', schema: null },
    ],
    errors: ['template_not_found', ...previewErrors],
    handle: async (context, dependencies) => {
      const { account, limits, params, reply } = context;
      const { reads, readYourWrites } = dependencies;
      await readYourWrites.waitForWrites(account.id, readModels.templates, readModels.templateVersions);
      const document = await requireTemplateDocument(reads, account.id, params.id);
      const found = await requireVersion(reads, document, params.version, limits.keptVersions);
      const etag = etagOf(found, account, dependencies.version);
      const headers = { etag, 'cache-control': 'private, no-cache', vary: 'Accept' };
      if (matchesIfNoneMatch(reply.request, etag)) return reply.headers(headers).status(304).send();
      const key = `${account.id} ${etag}`;
      const rendered = keptPreviews.get(key) ?? (await renderVersion(dependencies, context, found));
      keptPreviews.set(key, rendered);
      return sendPreview(reply.headers(headers), rendered);
    },
  }),
];
