import { z } from 'zod';
import { diagnosticsQuery } from '#contracts/http/diagnostics.ts';
import { renderDoneResponse } from '#contracts/http/render.ts';
import { testTemplateRequest } from '#contracts/http/templates.ts';
import { readModels } from '#contracts/names.ts';
import { requireTemplate } from '#application/templates/commands.ts';
import { requireShortWait } from '#application/renders/estimate.ts';
import { storeRenderInput } from '#application/renders/render-input.ts';
import { waitSignal, diagnosticsFieldsOf, sendRender } from '../renders/send-render.ts';
import { submitRender } from '#application/renders/submit-render.ts';
import { requirePermission } from '../server/authenticate.ts';
import { nameSchema, renderingErrors, route, type Route } from '../server/route.ts';
import { templateExamples, templateParams } from './reference.ts';
import { requireTemplateTestsLeft } from './template-test-limits.ts';

/** A trial is a render that counts neither toward the quota nor as a use of the template, and has its own limits. */
export const templateTestRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/api/v1/templates/{id}/test',
    tag: 'Templates',
    summary: 'Try a template out',
    description:
      'Renders the template with the given data. The key needs the permission `render:create`, too. A trial counts toward the requests per minute, but neither toward the quota nor as use of the template. Live keys have as many trials in a month as the plan has renders (`quota_exceeded` beyond that; test keys have any number), and an account may have two trials under way at once (`rate_limit_exceeded`). With `diagnostics=true` answers and errors have `diagnostics`: timings, lane, console, failed resources, fonts. The document is made a second time for them.',
    permission: 'templates:read',
    request: {
      params: templateParams,
      query: diagnosticsQuery,
      body: nameSchema('TestTemplate', testTemplateRequest),
      examples: templateExamples.test,
    },
    responses: [
      {
        status: 200,
        description: 'The PDF, and the version that it was made from.',
        schema: nameSchema('TestRender', renderDoneResponse.extend({ version: z.number().int() })),
      },
    ],
    errors: [
      'invalid_page_size',
      'invalid_orientation',
      'quota_exceeded',
      'template_not_found',
      'render_template_not_found',
      'template_render_error',
      'invalid_html',
      ...renderingErrors,
    ],
    handle: async (context, dependencies) => {
      requirePermission(context, 'render:create');
      const {
        id,
        account,
        limits,
        params: { id: templateId },
        body,
        cause,
        reply,
      } = context;
      const { eventLog, estimator: estimates, readYourWrites, templateTestLimiter } = dependencies;
      const accountId = account.id;
      return templateTestLimiter.run(accountId, eventLog.now(), async () => {
        await requireTemplate(eventLog, accountId, templateId);
        const at = eventLog.now();
        await requireTemplateTestsLeft(dependencies, context, at);
        const wanted = { mode: 'RENDER', template_id: templateId, ...body } as const;
        const ask = await storeRenderInput(dependencies, context, wanted, context.longTexts);
        await requireShortWait(estimates, { accountId, source: ask.source, priority: 'urgent' }, limits.processingMs);
        const version = ask.source.mode === 'RENDER' ? ask.source.templateVersion : undefined;
        const wish = { ...ask, id, at, templateTest: true, responseMode: { kind: 'wait' }, cause } as const;
        const submission = await submitRender(dependencies, context, wish, waitSignal(reply));
        readYourWrites.recordWrite(accountId, submission.position, readModels.usage);
        return sendRender(reply, submission, { version }, diagnosticsFieldsOf(dependencies, context));
      });
    },
  }),
];
