import { z } from 'zod';
import { diagnosticsQuery } from '#contracts/http/diagnostics.ts';
import { renderQueuedResponse } from '#contracts/http/jobs.ts';
import type { ApiError } from '#contracts/http/api-error.ts';
import { invalidField } from '#contracts/http/api-error.ts';
import { multipartRequest } from '#contracts/http/multipart.ts';
import { composeRequest } from '#contracts/http/compose.ts';
import { convertRequest, renderDoneResponse, renderImagesResponse, templateRequest } from '#contracts/http/render.ts';
import { streams } from '#contracts/names.ts';
import { type IdempotencyOptions, nameSchema, route, type Route, ok } from '../server/route.ts';
import { acceptRender } from './accept-render.ts';
import { documentErrors, multipartExamples, responseExamples, renderDescription, renderExamples } from './reference.ts';
import { parseRenderRequest, responseModeOf } from './render-request.ts';
import { replayRender } from './replay-render.ts';
import { diagnosticsFieldsOf, pdfResponse, queuedRenderOf, sendRender } from './send-render.ts';

const modes = [
  nameSchema('ConvertRequest', convertRequest),
  nameSchema('TemplateRequest', templateRequest),
  nameSchema('ComposeRequest', composeRequest),
] as const;
const body = nameSchema('RenderRequest', z.discriminatedUnion('mode', modes));
const multipart = nameSchema('RenderMultipartRequest', multipartRequest);
const queuedRender = nameSchema('QueuedRender', renderQueuedResponse);
const images = nameSchema('RenderedImages', renderImagesResponse);
const doneOrQueued = z.union([nameSchema('Render', renderDoneResponse), images, queuedRender]);

const renderRequest = {
  body,
  readBody: parseRenderRequest,
  examples: renderExamples,
  multipart,
  multipartExamples,
};

const idempotency: IdempotencyOptions = { streamOf: streams.render, replay: replayRender };

const requestErrors = [
  'invalid_mode',
  'invalid_input_type',
  'invalid_page_size',
  'invalid_orientation',
  'missing_template_id',
  'missing_data',
  'render_template_not_found',
] as const;

const liveDiagnostics = (): ApiError => {
  const path = '/api/v1/jobs/job_<id>?diagnostics=true';
  const message = `Only test keys may request diagnostics here. For a live render use GET ${path} with its id.`;
  return invalidField('diagnostics', message);
};

/** Synchronous and asynchronous renders. */
export const renderRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/api/v1/render',
    operationId: 'render',
    tag: 'Rendering',
    summary: 'Make a PDF',
    description: renderDescription,
    permission: 'render:create',
    usesQuota: true,
    idempotency,
    sendsCallback: true,
    isAsynchronous: (fields) => (fields as { webhook_url?: unknown } | null | undefined)?.webhook_url !== undefined,
    request: { query: diagnosticsQuery, ...renderRequest },
    responses: [ok('The PDF or the images, or the job.', doneOrQueued, { examples: responseExamples, ...pdfResponse })],
    errors: [...requestErrors, 'render_secrets_erased', 'render_input_lost', ...documentErrors],
    handle: async (context, dependencies) => {
      const { id, keyType, query, reply } = context;
      const { webhook_url: webhookUrl } = context.body;
      const responseMode = responseModeOf(context.body, false);
      if (query.diagnostics === 'true' && keyType !== 'test') throw liveDiagnostics();
      const { submission, estimatedMs } = await acceptRender(dependencies, context, responseMode);
      if (responseMode.kind !== 'wait') return queuedRenderOf(id, submission.createdAt, { estimatedMs, webhookUrl });
      return sendRender(dependencies, reply, submission, {}, diagnosticsFieldsOf(dependencies, context));
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/render/async',
    operationId: 'renderAsync',
    tag: 'Rendering',
    summary: 'Make a PDF without waiting for it',
    description:
      'Like `POST /api/v1/render`, but the response is always immediate. Without a `webhook_url` there is no callback: read ' +
      'the job instead. The job has the error if the render fails.',
    permission: 'render:create',
    usesQuota: true,
    idempotency,
    sendsCallback: true,
    isAsynchronous: () => true,
    request: renderRequest,
    responses: [ok('The job.', queuedRender, { examples: { queued: responseExamples.queued } })],
    errors: requestErrors,
    handle: async (context, dependencies) => {
      const { webhook_url: webhookUrl } = context.body;
      const { submission, estimatedMs } = await acceptRender(dependencies, context, responseModeOf(context.body, true));
      return queuedRenderOf(context.id, submission.createdAt, { estimatedMs, webhookUrl });
    },
  }),
];
