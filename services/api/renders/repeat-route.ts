import { z } from 'zod';
import { renderDoneResponse, renderImagesResponse } from '#contracts/http/render.ts';
import { renderQueuedResponse } from '#contracts/http/jobs.ts';
import { type RepeatRenderRequest, repeatRenderRequest } from '#contracts/http/renders.ts';
import type { ApiError } from '#contracts/http/api-error.ts';
import { invalidField } from '#contracts/http/api-error.ts';
import { streams } from '#contracts/names.ts';
import { recordedInput, repeatResponseMode } from '#application/renders/repeat-render.ts';
import { countRenderOfPerson } from '../server/rate-limit.ts';
import { requireQuotaLeft } from '../server/quota.ts';
import { nameSchema, route, type Route, ok } from '../server/route.ts';
import { runTemplateTest } from '../templates/run-template-test.ts';
import { acceptRenderInput } from './accept-render.ts';
import { bareRenderId, requireRenderOfAccount } from '#application/renders/find-renders.ts';
import { documentErrors, renderParams } from './reference.ts';
import { replayRender } from './replay-render.ts';
import { withDeferredInputs } from '../server/dependencies.ts';
import { pdfResponse, queuedRenderOf, sendRender } from './send-render.ts';

const wantsCallback = (body: RepeatRenderRequest): boolean =>
  (['webhook_url', 'webhook_method', 'webhook_headers'] as const).some((field) => body[field] !== undefined);

const testWithCallback = (): ApiError =>
  invalidField('webhook_url', 'A template test has no callback, so it cannot be repeated with one.');

/** Repeats a recorded render. */
export const repeatRenderRoute: Route = route({
  method: 'POST',
  path: '/api/v1/renders/{id}/repeat',
  operationId: 'repeatRender',
  tag: 'Rendering',
  summary: 'Repeat a render',
  description:
    'Makes a new render from the recorded request of another one: the same input or template version and data, options, ' +
    'header and footer. The new render has its own id and `repeated_from`, counts toward the quota, and has the limits of ' +
    'the present plan. Failed renders can be repeated, too. A repeated template test is a template test, which does not ' +
    'count toward the quota and cannot have a callback.\n\n' +
    'The body is optional. With a `webhook_url` the repeat is asynchronous, otherwise the response has the PDF, however ' +
    'the first render was requested. If the first render had a callback, `webhook_method` or `webhook_headers` alone send ' +
    'this one to the same URL. Secrets of the first request are not kept: `render_secrets_erased` names the fields to ' +
    'send again. `render_input_lost` says that the recorded content cannot be read any more.',
  permission: 'render:create',
  sendsCallback: true,
  idempotency: { streamOf: streams.render, replay: replayRender },
  isAsynchronous: (fields) => wantsCallback((fields as RepeatRenderRequest | null | undefined) ?? {}),
  request: {
    params: renderParams,
    body: nameSchema('RepeatRender', repeatRenderRequest),
    bodyIsOptional: true,
    examples: {
      kept: { summary: 'Keep the PDF', value: { keep_pdf: true, file_name: 'invoice-2026-118' } },
      callback: { summary: 'With a callback', value: { webhook_url: 'https://example.com/hooks/pdf' } },
    },
  },
  responses: [
    ok('The PDF, or the job.', z.union([renderDoneResponse, renderImagesResponse, renderQueuedResponse]), pdfResponse),
  ],
  errors: [
    'render_not_found',
    'render_secrets_erased',
    'render_input_lost',
    'quota_exceeded',
    'concurrency_limit_exceeded',
    ...documentErrors,
  ],
  handle: async (context, routeDependencies) => {
    const { id, account, limits, params, body, reply } = context;
    const dependencies = withDeferredInputs(routeDependencies);
    const { eventLog, inputs } = dependencies;
    const repeatedFrom = bareRenderId(params.id);
    const recorded = await requireRenderOfAccount(eventLog, account.id, repeatedFrom);
    const input = () => recordedInput(inputs, recorded, body, limits);
    if (recorded.templateTest) {
      if (wantsCallback(body)) throw testWithCallback();
      return runTemplateTest(
        dependencies,
        context,
        input,
        (submission) => sendRender(dependencies, reply, submission),
        repeatedFrom,
      );
    }
    await countRenderOfPerson(dependencies, context);
    requireQuotaLeft(context, eventLog.now());
    const responseMode = repeatResponseMode(recorded.responseMode, body);
    const accepted = await acceptRenderInput(dependencies, context, await input(), responseMode, repeatedFrom);
    const { submission, estimatedMs } = accepted;
    if (responseMode.kind === 'wait') return sendRender(dependencies, reply, submission);
    const webhookUrl = responseMode.kind === 'webhook' ? responseMode.url : undefined;
    return queuedRenderOf(id, submission.createdAt, { estimatedMs, webhookUrl });
  },
});
