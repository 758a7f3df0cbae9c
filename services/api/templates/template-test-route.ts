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

/** A template test is a render that does not count toward the quota or as a use of the template. It has its own limits. */
export const templateTestRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/api/v1/templates/{id}/test',
    tag: 'Templates',
    summary: 'Test a template',
    description:
      'Renders the template with the given data. The key also needs the permission `render:create`. A template test counts ' +
      'toward the requests per minute, but not toward the quota or as a use of the template. Live keys have as many ' +
      'template tests a month as the plan has renders (beyond that `quota_exceeded`); test keys have no limit. An account ' +
      'may run two template tests at once (beyond that `rate_limit_exceeded`). With `diagnostics=true` responses and errors ' +
      'have `diagnostics`: timings, render mode, console, failed resources, fonts. For them the document is rendered a ' +
      'second time.',
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
        description: 'The PDF and the version of the template.',
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
      const { eventLog, estimator, readYourWrites, templateTestLimiter } = dependencies;
      const accountId = account.id;
      return templateTestLimiter.run(accountId, eventLog.now(), async () => {
        await requireTemplate(eventLog, accountId, templateId);
        const at = eventLog.now();
        await requireTemplateTestsLeft(dependencies, context, at);
        const templateRequest = { mode: 'RENDER', template_id: templateId, ...body } as const;
        const input = await storeRenderInput(dependencies, context, templateRequest, context.longTexts);
        await requireShortWait(estimator, { accountId, source: input.source, priority: 'urgent' }, limits.processingMs);
        const version = input.source.mode === 'RENDER' ? input.source.templateVersion : undefined;
        const request = { ...input, id, at, templateTest: true, responseMode: { kind: 'wait' }, cause } as const;
        const submission = await submitRender(dependencies, context, request, waitSignal(reply));
        readYourWrites.recordWrite(accountId, submission.position, readModels.usage);
        return sendRender(reply, submission, { version }, diagnosticsFieldsOf(dependencies, context));
      });
    },
  }),
];
