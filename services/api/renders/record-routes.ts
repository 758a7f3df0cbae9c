import { diagnosticsQuery } from '#contracts/http/diagnostics.ts';
import {
  listRendersQuery,
  type ListRendersQuery,
  renderHistoryResponse,
  renderListResponse,
  type RenderRecordResponse,
} from '#contracts/http/renders.ts';
import { renderDetailResponse } from '#contracts/http/render-detail.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { bareId, readModels, renderIdOf, streams, apiKeyIdOf } from '#contracts/names.ts';
import { getDiagnostics, timingsOf } from '#application/renders/diagnostics.ts';
import { findKeptPdf, type KeptPdf } from '#application/renders/kept-pdf.ts';
import { pdfExpired, pdfResponses, sendKeptPdf } from '../downloads/send-pdf.ts';
import { requirePermission } from '../server/authenticate.ts';
import { eventView } from '#application/audit/event-view.ts';
import { nameSchema, route, type Route, ok } from '../server/route.ts';
import { bareRenderId, findDeliveries, renderNotFound, requireRender } from '#application/renders/find-renders.ts';
import { findRenderListPage, type RenderFilter } from '#application/renders/list-renders.ts';
import { createNamedActorView } from '../server/actor-names.ts';
import { detailFieldsOf } from './detail-view.ts';
import { renderParams } from './reference.ts';
import { waitSignal } from './send-render.ts';
import type { Actor } from '#contracts/events/metadata.ts';
import type { ActorResponse } from '#contracts/http/actor.ts';
import type { DeliveryDocument } from '#libs/projections/deliveries.ts';
import type { RenderDocument } from '#libs/projections/renders.ts';
import { type DownloadUrlFor, jobOf } from '../jobs/job-view.ts';

/** The key or person that requested a render. */
const requesterOf = ({ keyId, personId, personName = '' }: RenderDocument): Actor =>
  keyId === null
    ? { kind: 'person', name: personName, ...(personId === undefined ? {} : { id: personId }) }
    : { kind: 'key', id: keyId };

/** A recorded render as the API returns it, from its document and its webhook delivery. */
const renderRecordOf = (
  render: RenderDocument,
  delivery: DeliveryDocument | null,
  urlOf: DownloadUrlFor,
  now: Date,
  actorOf: (actor: Actor) => ActorResponse,
): RenderRecordResponse => {
  const { job_id, id, status, ...fields } = jobOf(render, delivery, urlOf, now);
  const isAsynchronous = render.kind === 'asynchronous';
  return {
    id,
    ...(isAsynchronous ? { job_id } : {}),
    status,
    asynchronous: isAsynchronous,
    key_id: render.keyId === null ? null : apiKeyIdOf(render.keyId),
    requested_by: actorOf(requesterOf(render)),
    template_test: render.templateTest,
    ...(render.repeatedFrom === undefined ? {} : { repeated_from: renderIdOf(render.repeatedFrom) }),
    ...fields,
    ...(render.verification === undefined
      ? {}
      : { verification: { time: render.verification.at, matches: render.verification.matches } }),
    ...(render.durations === undefined ? {} : { timings_ms: timingsOf(render.durations) }),
  };
};

const { renders, deliveries } = readModels;

/** The filter of a query; null if no render can match it. Fields that follow from another one are left out. */
const filterOf = (query: ListRendersQuery): RenderFilter | null => {
  const { status, mode, error, asynchronous } = query;
  const { input_type: inputType, template_id: templateId, key_id: keyId, person_id: personId } = query;
  const isContradiction =
    (inputType !== undefined && templateId !== undefined) ||
    (inputType !== undefined && mode !== undefined && mode !== 'CONVERT') ||
    (templateId !== undefined && mode !== undefined && mode !== 'RENDER') ||
    (keyId !== undefined && personId !== undefined) ||
    (error !== undefined && status !== undefined && status !== 'FAILED');
  if (isContradiction) return null;
  const requester = keyId === undefined ? personId && bareId('person', personId) : bareId('key', keyId);
  const sourceKey = inputType ?? (templateId && bareId('tpl', templateId));
  return {
    ...(asynchronous === undefined ? {} : { kind: asynchronous === 'true' ? 'asynchronous' : 'synchronous' }),
    ...(error !== undefined ? { errorCode: error } : status !== undefined ? { status } : {}),
    ...(sourceKey !== undefined ? { sourceKey } : mode !== undefined ? { 'source.mode': mode } : {}),
    ...(requester === undefined ? {} : { requester }),
  };
};

const notAvailable = (message: string, render_status: string): ApiError =>
  ApiError.of('pdf_not_available', message, { render_status });

/** Why a render has no PDF to fetch. */
const noPdf = (kept: Exclude<KeptPdf, { kind: 'kept' }>): ApiError => {
  if (kept.kind === 'expired') return pdfExpired();
  if (kept.kind === 'neverKept')
    return notAvailable(
      'The PDF of this synchronous render was sent in its response and not kept. Send keep_pdf: true with a render ' +
        'to keep its PDF for a while, or make it again with POST /api/v1/renders/{id}/repeat.',
      'DONE',
    );
  return kept.status === 'FAILED'
    ? notAvailable('The render has failed, so there is no PDF.', 'FAILED')
    : notAvailable('The render has not ended yet. Try again when its status is DONE.', kept.status);
};

/** The recorded renders of the account, synchronous and asynchronous. */
export const renderRecordRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/renders',
    operationId: 'listRenders',
    tag: 'Rendering',
    summary: 'List renders',
    description:
      'Lists all renders of the account, newest first: synchronous and asynchronous ones, and template tests. New ' +
      'renders do not shift the pages, and a render is listed as soon as its response is sent. Several filters can ' +
      'be combined. A page for several filters is selected from at most 200,000 renders, so it can have fewer than ' +
      '`limit`; go on until `next_cursor` is null.',
    permission: 'jobs:read',
    request: { query: listRendersQuery },
    responses: [ok('One page of renders.', nameSchema('RenderList', renderListResponse))],
    handle: async ({ account, query }, { reads, readYourWrites, downloadUrlFor, eventLog }) => {
      await readYourWrites.waitForWrites(account.id, renders, deliveries);
      const filter = filterOf(query);
      const page =
        filter && (await findRenderListPage(reads, account.id, filter, { ...query, cursorPrefix: 'render' }));
      if (page === null) return { renders: [], next_cursor: null };
      const found = await findDeliveries(reads, page.documents);
      const now = eventLog.now();
      const actorOf = await createNamedActorView(reads, account.id, page.documents.map(requesterOf));
      return {
        renders: page.documents.map((one) =>
          renderRecordOf(one, found.get(one.id) ?? null, downloadUrlFor, now, actorOf),
        ),
        next_cursor: page.next === null ? null : renderIdOf(page.next),
      };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/renders/{id}',
    operationId: 'getRender',
    tag: 'Rendering',
    summary: 'Read a render',
    description:
      'Returns a recorded render, synchronous or asynchronous, with its result, its callback and the link to its PDF ' +
      'while that is kept. Unknown renders and renders of other accounts give the same 404. With `diagnostics=true` ' +
      'the response has `diagnostics` of a render that has ended, as for jobs; the key then also needs the ' +
      'permission `render:create`.',
    permission: 'jobs:read',
    request: { params: renderParams, query: diagnosticsQuery },
    responses: [ok('The render.', nameSchema('RenderDetail', renderDetailResponse))],
    errors: ['render_not_found'],
    handle: async (context, dependencies) => {
      const { account, params, query, cause, reply } = context;
      const { reads, downloadUrlFor, eventLog } = dependencies;
      const wantsDiagnostics = query.diagnostics === 'true';
      if (wantsDiagnostics) requirePermission(context, 'render:create');
      const id = bareRenderId(params.id);
      const { document, history } = await requireRender(dependencies, account.id, id, renderNotFound);
      const diagnostics = wantsDiagnostics
        ? await getDiagnostics(dependencies, document.id, cause, waitSignal(reply))
        : null;
      const found = await findDeliveries(reads, [document]);
      const actorOf = await createNamedActorView(reads, account.id, [requesterOf(document)]);
      const delivery = found.get(document.id) ?? null;
      const record = renderRecordOf(document, delivery, downloadUrlFor, eventLog.now(), actorOf);
      return { ...record, ...detailFieldsOf(history), ...(diagnostics ? { diagnostics } : {}) };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/renders/{id}/events',
    operationId: 'getRenderEvents',
    tag: 'Rendering',
    summary: "Read a render's history",
    description:
      'Lists every event of the render and of its callback with time, actor and trace. Secrets of the request are ' +
      'shown as `***`, also where the response of a callback receiver repeats them.',
    permission: 'jobs:read',
    request: { params: renderParams },
    responses: [ok('The events.', nameSchema('RenderHistory', renderHistoryResponse))],
    errors: ['render_not_found'],
    handle: async ({ account, params }, dependencies) => {
      const id = bareRenderId(params.id);
      const { document, history } = await requireRender(dependencies, account.id, id, renderNotFound);
      return { id: renderIdOf(document.id), events: history.map(eventView) };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/renders/{id}/pdf',
    operationId: 'getRenderPdf',
    tag: 'Rendering',
    summary: 'Fetch the PDF of a render',
    description:
      'The PDF of an asynchronous render, or of one with `keep_pdf`, is kept for one hour, or as long as the settings of ' +
      'the account said when the render was accepted. After that time the error is `download_expired`. A PDF ' +
      'that was never kept is `pdf_not_available`: repeat the render to get it again. `Range` and `If-None-Match` are supported.',
    permission: 'jobs:read',
    request: { params: renderParams },
    responses: pdfResponses,
    errors: ['render_not_found', 'pdf_not_available', 'download_expired'],
    handle: async ({ account, params, reply }, dependencies) => {
      const { eventLog, blobs } = dependencies;
      const id = bareRenderId(params.id);
      const history = id ? await eventLog.store.read(streams.render(id)) : [];
      if (!id || history[0]?.metadata.accountId !== account.id) throw renderNotFound();
      const kept = await findKeptPdf(blobs, history, eventLog.now());
      if (kept.kind !== 'kept') throw noPdf(kept);
      return sendKeptPdf(dependencies, reply, account.id, kept);
    },
  }),
];
