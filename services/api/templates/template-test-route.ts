import { z } from 'zod';
import { diagnosticsQuery } from '#contracts/http/diagnostics.ts';
import { renderDoneResponse, renderImagesResponse } from '#contracts/http/render.ts';
import { testTemplateRequest } from '#contracts/http/templates.ts';
import { requireTemplate } from '#application/templates/commands.ts';
import { storeRenderInput } from '#application/renders/render-input.ts';
import { diagnosticsFieldsOf, pdfResponse, sendRender } from '../renders/send-render.ts';
import { requirePermission } from '../server/authenticate.ts';
import { nameSchema, renderingErrors, route, type Route, ok } from '../server/route.ts';
import { templateExamples, templateParams } from './reference.ts';
import { runTemplateTest } from './run-template-test.ts';
import { selectorErrors } from '../renders/document-fields.ts';
import { withDeferredInputs } from '../server/dependencies.ts';
import { validate } from '../server/validation/validate.ts';

const version = { version: z.number().int() };

/** A template test is a render that does not count toward the quota or as a use of the template. It has its own limits. */
export const templateTestRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/api/v1/templates/{id}/test',
    operationId: 'testTemplate',
    tag: 'Templates',
    summary: 'Test a template',
    description:
      'Renders the template with the given data. The key also needs the permission `render:create`. A template test counts ' +
      'toward the requests per minute, but not toward the quota or as a use of the template. Live keys have as many ' +
      'template tests a month as the plan has renders (beyond that `quota_exceeded`); test keys have no limit. An account ' +
      'may run two template tests at once (beyond that `concurrency_limit_exceeded`). With `diagnostics=true` responses and errors ' +
      'have `diagnostics`: timings, render mode, console, failed resources, fonts. For them the document is rendered a ' +
      'second time.',
    permission: 'templates:read',
    request: {
      params: templateParams,
      query: diagnosticsQuery,
      body: nameSchema('TestTemplate', testTemplateRequest),
      readBody: (fields) => validate(testTemplateRequest, fields, selectorErrors(fields.wait_for_selector)),
      examples: templateExamples.test,
    },
    responses: [
      ok(
        'The PDF and the version of the template.',
        z.union([
          nameSchema('TestRender', renderDoneResponse.extend(version)),
          nameSchema('TestRenderImages', renderImagesResponse.extend(version)),
        ]),
        pdfResponse,
      ),
    ],
    errors: [
      'invalid_page_size',
      'invalid_orientation',
      'quota_exceeded',
      'concurrency_limit_exceeded',
      'template_not_found',
      'render_template_not_found',
      'template_render_error',
      'invalid_html',
      ...renderingErrors,
    ],
    handle: async (context, routeDependencies) => {
      requirePermission(context, 'render:create');
      const dependencies = withDeferredInputs(routeDependencies);
      const { account, params, body, reply } = context;
      await requireTemplate(dependencies.eventLog, account.id, params.id);
      const request = { mode: 'RENDER', template_id: params.id, ...body } as const;
      const storeInput = () => storeRenderInput(dependencies, context, request, context);
      return runTemplateTest(dependencies, context, storeInput, (submission, { source }) => {
        const version = source.mode === 'RENDER' ? source.templateVersion : undefined;
        return sendRender(dependencies, reply, submission, { version }, diagnosticsFieldsOf(dependencies, context));
      });
    },
  }),
];
