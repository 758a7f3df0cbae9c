import { z } from 'zod';
import { diagnosticsQuery } from '#contracts/http/diagnostics.ts';
import { renderQueuedResponse } from '#contracts/http/jobs.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { convertRequest, renderDoneResponse, templateRequest } from '#contracts/http/render.ts';
import { streams } from '#contracts/names.ts';
import { type IdempotencyOptions, nameSchema, renderingErrors, route, type Route } from '../server/route.ts';
import { acceptRender } from './accept-render.ts';
import { responseExamples, renderDescription, renderExamples } from './reference.ts';
import { parseRenderRequest, responseModeOf } from './render-request.ts';
import { replayRender } from './replay-render.ts';
import { diagnosticsFieldsOf, queuedRenderOf, sendRender } from './send-render.ts';

const modes = [nameSchema('ConvertRequest', convertRequest), nameSchema('TemplateRequest', templateRequest)] as const;
const body = nameSchema('RenderRequest', z.discriminatedUnion('mode', modes));
const queuedRender = nameSchema('QueuedRender', renderQueuedResponse);
const doneOrQueued = z.union([nameSchema('Render', renderDoneResponse), queuedRender]);

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
  return ApiError.of('invalid_request', message, { field: 'diagnostics' });
};

/** Synchronous and asynchronous renders. */
export const renderRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/api/v1/render',
    tag: 'Rendering',
    summary: 'Make a PDF',
    description: renderDescription,
    permission: 'render:create',
    usesQuota: true,
    idempotency,
    isAsynchronous: (fields) => (fields as { webhook_url?: unknown } | null | undefined)?.webhook_url !== undefined,
    request: { query: diagnosticsQuery, body, readBody: parseRenderRequest, examples: renderExamples },
    responses: [{ status: 200, description: 'The PDF, or the job.', schema: doneOrQueued, examples: responseExamples }],
    errors: [
      ...requestErrors,
      'invalid_html',
      'invalid_docx',
      'invalid_markdown',
      'template_render_error',
      ...renderingErrors,
    ],
    handle: async (context, dependencies) => {
      const { id, key, query, reply } = context;
      const { webhook_url: webhookUrl } = context.body;
      const responseMode = responseModeOf(context.body, false);
      if (query.diagnostics === 'true' && key.keyType !== 'test') throw liveDiagnostics();
      const { submission, estimatedMs } = await acceptRender(dependencies, context, responseMode);
      if (responseMode.kind !== 'wait') return queuedRenderOf(id, submission.createdAt, { estimatedMs, webhookUrl });
      return sendRender(reply, submission, {}, diagnosticsFieldsOf(dependencies, context));
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/render/async',
    tag: 'Rendering',
    summary: 'Make a PDF without waiting for it',
    description:
      'Like `POST /api/v1/render`, but the response is always immediate. Without a `webhook_url` there is no callback: read ' +
      'the job instead. The job has the error if the render fails.',
    permission: 'render:create',
    usesQuota: true,
    idempotency,
    isAsynchronous: () => true,
    request: { body, readBody: parseRenderRequest, examples: renderExamples },
    responses: [
      { status: 200, description: 'The job.', schema: queuedRender, examples: { queued: responseExamples.queued } },
    ],
    errors: requestErrors,
    handle: async (context, dependencies) => {
      const { webhook_url: webhookUrl } = context.body;
      const { submission, estimatedMs } = await acceptRender(dependencies, context, responseModeOf(context.body, true));
      return queuedRenderOf(context.id, submission.createdAt, { estimatedMs, webhookUrl });
    },
  }),
];
