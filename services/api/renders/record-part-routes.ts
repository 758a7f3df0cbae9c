import { renderDiagnosticsQuery, renderDiagnosticsResponse, renderInputQuery } from '#contracts/http/render-detail.ts';
import { renderIdOf } from '#contracts/names.ts';
import { getDiagnostics, readDiagnostics } from '#application/renders/diagnostics.ts';
import {
  bareRenderId,
  renderNotFound,
  requireRender,
  requireRenderOfAccount,
} from '#application/renders/find-renders.ts';
import { readRecordedInput } from '#application/renders/recorded-input.ts';
import { attachmentOf } from '../server/attachment.ts';
import { requirePermission } from '../server/authenticate.ts';
import { nameSchema, route, type Route, ok } from '../server/route.ts';
import { renderParams } from './reference.ts';
import { waitSignal } from './send-render.ts';

/** The content of a recorded request, and the findings about its document. */
export const renderRecordPartRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/renders/{id}/input',
    operationId: 'getRenderInput',
    tag: 'Rendering',
    summary: 'Fetch the input of a render',
    description:
      'Sends the document of a recorded render as it was received, the data of its template as JSON, or the HTML of its ' +
      'header or footer. A Word document is sent as a file, also if it was received in base64. For input_type url it is ' +
      'the URL, masked. `input_not_available` says that the content is no longer kept; its hash stays in the history.',
    permission: 'jobs:read',
    request: { params: renderParams, query: renderInputQuery },
    responses: [
      {
        status: 200,
        description: 'The content, as a download that browsers do not show as a page.',
        schema: null,
        contentType: '*/*',
        headers: { 'Content-Disposition': '`attachment` with the name of the uploaded file, or of the render.' },
      },
    ],
    errors: ['render_not_found', 'input_not_available'],
    handle: async ({ account, params, query, reply }, { eventLog, blobs }) => {
      const id = bareRenderId(params.id);
      const requested = await requireRenderOfAccount(eventLog, account.id, id);
      const { bytes, contentType, fileName } = await readRecordedInput(blobs, id!, requested, query.part);
      return reply
        .headers({
          'content-type': contentType,
          'content-disposition': attachmentOf(fileName),
          'content-security-policy': "sandbox; default-src 'none'",
          'x-content-type-options': 'nosniff',
          'cache-control': 'private, no-store',
        })
        .send(bytes);
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/renders/{id}/diagnostics',
    operationId: 'getRenderDiagnostics',
    tag: 'Rendering',
    summary: 'Read the diagnostics of a render',
    description:
      'Timings, render mode with its reason, and failed resources are recorded with the render. Messages of scripts and ' +
      'fonts are not: with `rerender=true` the document is rendered a second time for them, and the findings are kept. ' +
      '`rendered_again` says whether the response has them.',
    permission: 'jobs:read',
    request: { params: renderParams, query: renderDiagnosticsQuery },
    responses: [ok('The diagnostics.', nameSchema('RenderDiagnostics', renderDiagnosticsResponse))],
    errors: ['render_not_found'],
    handle: async (context, dependencies) => {
      const { account, params, query, cause, reply } = context;
      const rerenders = query.rerender === 'true';
      if (rerenders) requirePermission(context, 'render:create');
      const { document } = await requireRender(dependencies, account.id, bareRenderId(params.id), renderNotFound);
      const diagnostics = rerenders
        ? await getDiagnostics(dependencies, document.id, cause, waitSignal(reply))
        : await readDiagnostics(dependencies, document.id);
      return {
        id: renderIdOf(document.id),
        status: document.status,
        rendered_again: diagnostics?.console !== undefined,
        diagnostics,
      };
    },
  }),
];
