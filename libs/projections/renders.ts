import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import type { EventData, EventOf } from '#contracts/events/event-schemas.ts';
import type { RenderDurations } from '#contracts/events/render.ts';
import type { ApiErrorFields } from '#contracts/http/api-error.ts';
import { errors } from '#contracts/http/errors.ts';
import type { OutputContentType, ImageType } from '#contracts/http/output.ts';
import type { InputType } from '#contracts/http/render.ts';
import { readModels } from '#contracts/names.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { traceIdOf } from '#libs/telemetry/traceparent.ts';
import { countFailedRender, countRequestedRender, countSucceededRender, keyRenders } from './key-renders.ts';
import { idOf, type Projection, updateDocument } from './projection.ts';
import {
  countAcceptedRender,
  countCompletedRender,
  countFailedStatistics,
  renderStatistics,
} from './render-statistics.ts';
import { quotaRendersOf } from './usage.ts';

type Source =
  | { mode: 'CONVERT'; inputType: InputType }
  | { mode: 'RENDER'; templateId: string; templateVersion: number }
  | { mode: 'COMPOSE'; parts: number; renders: number };

export type RenderKind = 'synchronous' | 'asynchronous';

/** A render. Times are ISO 8601, sizes in bytes. */
export type RenderDocument = {
  id: string;
  accountId: string;
  /** Null: a person asked for it in the dashboard. */
  keyId: string | null;
  /** The person who asked for it. Absent for a key. */
  personId?: string;
  personName?: string;
  /** The id of the key or person; null for a person without an id. */
  requester: string | null;
  requestId: string;
  traceId: string | null;
  source: Source;
  /** Absent for any other layout of an office document. */
  docxLayout?: 'semantic';
  status: 'QUEUED' | 'PROCESSING' | 'DONE' | 'FAILED';
  createdAt: string;
  startedAt: string | null;
  endedAt: string | null;
  durationMs: number | null;
  pages: number | null;
  pdf: { sha256: string; size: number } | null;
  /** The kind of images that were asked for. Absent: a PDF. */
  output?: ImageType;
  /** The media type of the images in `pdf`. Absent: a PDF, or not completed. */
  contentType?: OutputContentType;
  /** Absent if there is none. */
  thumbnail?: { sha256: string; size: number };
  responseMode: 'wait' | 'poll' | 'webhook';
  webhookUrl: string | null;
  /** Other files that workers stored for the render. They are erased with its PDF. */
  discarded?: Pick<EventData['PdfDiscarded'], 'pdf' | 'thumbnail'>[];
  /** Until when the PDF is kept; null if it is not kept. The PDF of a failed render is only kept to be erased and cannot be fetched. */
  keptUntil: string | null;
  templateTest: boolean;
  /** Whether the caller waited for the PDF, or got a job. */
  kind: RenderKind;
  /** The input type, or the id of the template. */
  sourceKey: string;
  error: ApiErrorFields | null;
  /** The code of the error in the API. Absent without an error. */
  errorCode?: string;
  /** The latest verification that could compare the PDF. */
  verification?: { at: string; matches: boolean };
  /** Absent if the render has not completed. */
  durations?: RenderDurations;
  /** The id of the render whose recorded request this render repeats. Absent if it has a request of its own. */
  repeatedFrom?: string;
  /** The file name of the PDF. Absent: the default name. */
  fileName?: string;
  /** Absent if there are none. */
  warnings?: RenderWarning[];
  /** The masked URL of the page, for the input type url. */
  pageUrl?: string;
  /** Whether headers or cookies for the page were sealed, and since when they can be erased. */
  hasPageSecrets?: true;
  secretsErasableSince?: string | null;
};

const sourceOf = ({ source }: EventData['RenderRequested']): Source =>
  source.mode === 'CONVERT'
    ? { mode: 'CONVERT', inputType: source.inputType }
    : source.mode === 'COMPOSE'
      ? { mode: 'COMPOSE', parts: source.parts, renders: source.renders }
      : { mode: 'RENDER', templateId: source.templateId, templateVersion: source.templateVersion };

const sourceKeyOf = ({ source }: EventData['RenderRequested']): string =>
  source.mode === 'CONVERT' ? source.inputType : source.mode === 'COMPOSE' ? 'composition' : source.templateId;

const requesterFieldsOf = ({
  data: { keyId },
  metadata: { actor },
}: RecordedEvent<EventOf<'RenderRequested'>>): Pick<RenderDocument, 'personId' | 'personName' | 'requester'> => {
  if (actor.kind !== 'person') return { requester: keyId };
  const { id, name } = actor;
  return { ...(id === undefined ? {} : { personId: id }), personName: name, requester: keyId ?? id ?? null };
};

const pageFieldsOf = ({ source }: EventData['RenderRequested']): Partial<RenderDocument> =>
  source.mode === 'CONVERT' && source.page
    ? { pageUrl: source.page.url, ...(source.page.sealed ? { hasPageSecrets: true } : {}) }
    : {};

const outputFieldsOf = ({ options: { output = 'pdf' } }: EventData['RenderRequested']): Partial<RenderDocument> =>
  output === 'pdf' ? {} : { output };

const erasableFields = (
  { hasPageSecrets }: RenderDocument,
  endedAt: string,
): Pick<RenderDocument, 'secretsErasableSince'> => (hasPageSecrets ? { secretsErasableSince: endedAt } : {});

/**
 * An account's renders, newest first, with all fields that filters use: combinations of filters are looked up in this
 * index without reading documents.
 */
export const renderFieldsIndex = [
  'accountId',
  'id',
  'status',
  'sourceKey',
  'requester',
  'kind',
  'source.mode',
  'errorCode',
  'traceId',
] as const;

export const renders: Projection<RenderDocument> = {
  model: readModels.renders,
  collection: {
    name: readModels.renders,
    indexes: [
      renderFieldsIndex,
      // Pages of an account's renders, newest first, by each of the filters.
      ['accountId', 'kind', 'id'],
      ['accountId', 'kind', 'status', 'id'],
      ['accountId', 'status', 'id'],
      ['accountId', 'source.mode', 'id'],
      ['accountId', 'sourceKey', 'id'],
      ['accountId', 'requester', 'id'],
      ['status', 'id'],
    ],
    sparseIndexes: {
      errorCode: [['accountId', 'errorCode', 'id']],
      keptUntil: [['keptUntil'], ['pdf.sha256', 'keptUntil'], ['thumbnail.sha256', 'keptUntil']],
      'pdf.sha256': [['pdf.sha256', 'accountId', 'id']],
      secretsErasableSince: [['secretsErasableSince']],
    },
  },
  additionalCollections: [keyRenders, renderStatistics],
  handlers: {
    RenderRequested: (event) => {
      const data = event.data;
      const document: RenderDocument = {
        id: idOf(event),
        accountId: data.accountId,
        keyId: data.keyId,
        ...requesterFieldsOf(event),
        requestId: event.metadata.correlationId,
        traceId: traceIdOf(event.metadata.traceparent),
        source: sourceOf(data),
        ...(data.options.docx_layout === 'semantic' ? { docxLayout: 'semantic' } : {}),
        status: 'QUEUED',
        createdAt: event.metadata.occurredAt,
        startedAt: null,
        endedAt: null,
        durationMs: null,
        pages: null,
        pdf: null,
        error: null,
        responseMode: data.responseMode.kind,
        webhookUrl: data.responseMode.kind === 'webhook' ? data.responseMode.url : null,
        keptUntil: null,
        templateTest: data.templateTest,
        kind: data.responseMode.kind === 'wait' ? 'synchronous' : 'asynchronous',
        sourceKey: sourceKeyOf(data),
        ...(data.repeatedFrom === undefined ? {} : { repeatedFrom: data.repeatedFrom }),
        ...(data.fileName === undefined ? {} : { fileName: data.fileName }),
        ...outputFieldsOf(data),
        ...pageFieldsOf(data),
      };
      return {
        id: document.id,
        createsDocument: true,
        evolve: () => document,
        additionalEffects: () => [
          ...countRequestedRender(document, quotaRendersOf(data)),
          ...countAcceptedRender(document, quotaRendersOf(data)),
        ],
      };
    },
    RenderStarted: (event) =>
      updateDocument(event, ({ startedAt }) => ({
        status: 'PROCESSING',
        startedAt: startedAt ?? event.metadata.occurredAt,
      })),
    RenderCompleted: (event) => {
      const { pdf, contentType, thumbnail, pages, durations, keptUntil, warnings } = event.data;
      return {
        ...updateDocument<RenderDocument>(event, (document) => ({
          ...erasableFields(document, event.metadata.occurredAt),
          status: 'DONE',
          pdf,
          ...(contentType ? { contentType } : {}),
          ...(thumbnail ? { thumbnail } : {}),
          pages,
          keptUntil,
          durationMs: durations.totalMs,
          durations,
          endedAt: event.metadata.occurredAt,
          ...(warnings.length === 0 ? {} : { warnings }),
        })),
        additionalEffects: (render) =>
          render ? [...countSucceededRender(render), ...countCompletedRender(render, event)] : [],
      };
    },
    RenderFailed: (event) => {
      const { error, totalMs, quotaRefundDate, quotaRefund = 1 } = event.data;
      return {
        ...updateDocument<RenderDocument>(event, (document) => ({
          ...erasableFields(document, event.metadata.occurredAt),
          status: 'FAILED',
          error,
          errorCode: errors[error.name].error,
          durationMs: totalMs,
          endedAt: event.metadata.occurredAt,
        })),
        additionalEffects: (render) =>
          render
            ? [
                ...countFailedRender(render, quotaRefundDate === null ? 0 : quotaRefund),
                ...countFailedStatistics(render, event),
              ]
            : [],
      };
    },
    PdfDiscarded: (event) => {
      const { eraseAfter, ...files } = event.data;
      return updateDocument<RenderDocument>(event, ({ pdf, discarded = [], keptUntil }) =>
        pdf === null
          ? { ...files, keptUntil: eraseAfter }
          : { discarded: [...discarded, files], keptUntil: keptUntil ?? event.metadata.occurredAt },
      );
    },
    PdfRegenerationEnded: (event) => {
      const { keptUntil } = event.data;
      return keptUntil === null ? null : updateDocument(event, () => ({ keptUntil }));
    },
    RenderVerified: (event) => {
      const { outcome, keptUntil } = event.data;
      if (outcome.kind !== 'rendered') return null;
      return updateDocument(event, ({ pdf, thumbnail }) => ({
        verification: {
          at: event.metadata.occurredAt,
          // Older events have no thumbnail, because it was not compared.
          matches:
            outcome.pdf.sha256 === pdf?.sha256 &&
            (!outcome.thumbnail || outcome.thumbnail.sha256 === thumbnail?.sha256),
        },
        ...(keptUntil === null ? {} : { keptUntil }),
      }));
    },
    PageSecretsErased: (event) => updateDocument(event, () => ({ secretsErasableSince: null })),
    PdfErased: (event) =>
      updateDocument<RenderDocument>(event, ({ discarded }) => ({
        keptUntil: null,
        ...(discarded ? { discarded: [] } : {}),
      })),
  },
};
