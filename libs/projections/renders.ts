import type { EventData } from '#contracts/events/event-schemas.ts';
import type { ApiErrorFields } from '#contracts/http/api-error.ts';
import type { InputType } from '#contracts/http/render.ts';
import { idOfStream, readModels } from '#contracts/names.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { countFailedRender, countRequestedRender, countSucceededRender, keyRenders } from './key-renders.ts';
import type { Projection } from './projection.ts';
import { countsTowardQuota } from './usage.ts';

type Source =
  { mode: 'CONVERT'; inputType: InputType } | { mode: 'RENDER'; templateId: string; templateVersion: number };

/** A render. Times are ISO 8601, sizes in bytes. */
export type RenderDocument = {
  id: string;
  accountId: string;
  keyId: string;
  source: Source;
  status: 'QUEUED' | 'PROCESSING' | 'DONE' | 'FAILED';
  attempt: number;
  createdAt: string;
  startedAt: string | null;
  endedAt: string | null;
  durationMs: number | null;
  pages: number | null;
  pdf: { sha256: string; size: number } | null;
  responseMode: 'wait' | 'poll' | 'webhook';
  webhookUrl: string | null;
  /** Until when the PDF is kept; null if it is not kept. The PDF of a failed render is only kept to be erased and cannot be fetched. */
  keptUntil: string | null;
  templateTest: boolean;
  /** Whether the caller got a job, because it did not wait for the PDF. */
  isJob: boolean;
  error: ApiErrorFields | null;
};

const idOf = (event: RecordedEvent): string => idOfStream(event.stream);

const sourceOf = ({ source }: EventData['RenderRequested']): Source =>
  source.mode === 'CONVERT'
    ? { mode: 'CONVERT', inputType: source.inputType }
    : { mode: 'RENDER', templateId: source.templateId, templateVersion: source.templateVersion };

const updateRender = (event: RecordedEvent, fields: (document: RenderDocument) => Partial<RenderDocument>) => ({
  id: idOf(event),
  evolve: (document: RenderDocument | null) => document && { ...document, ...fields(document) },
});

export const renders: Projection<RenderDocument> = {
  model: readModels.renders,
  collection: {
    name: readModels.renders,
    indexes: [
      ['accountId', 'isJob', 'id'],
      ['accountId', 'isJob', 'status', 'id'],
      ['accountId', 'status', 'responseMode'],
      ['status', 'id'],
      ['keptUntil'],
      ['pdf.sha256'],
    ],
  },
  additionalCollections: [keyRenders],
  handlers: {
    RenderRequested: (event) => {
      const data = event.data;
      const document: RenderDocument = {
        id: idOf(event),
        accountId: data.accountId,
        keyId: data.keyId,
        source: sourceOf(data),
        status: 'QUEUED',
        attempt: 0,
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
        isJob: data.responseMode.kind !== 'wait',
      };
      return {
        id: document.id,
        createsDocument: true,
        evolve: () => document,
        additionalEffects: () => [countRequestedRender(document, countsTowardQuota(data))],
      };
    },
    RenderStarted: (event) =>
      updateRender(event, ({ startedAt }) => ({
        status: 'PROCESSING',
        attempt: event.data.attempt,
        startedAt: startedAt ?? event.metadata.occurredAt,
      })),
    RenderCompleted: (event) => {
      const { pdf, pages, durations, keptUntil } = event.data;
      return {
        ...updateRender(event, () => ({
          status: 'DONE',
          pdf,
          pages,
          keptUntil,
          durationMs: durations.totalMs,
          endedAt: event.metadata.occurredAt,
        })),
        additionalEffects: (render) => (render ? [countSucceededRender(render)] : []),
      };
    },
    RenderFailed: (event) => {
      const { error, totalMs, quotaRefundDate } = event.data;
      return {
        ...updateRender(event, () => ({
          status: 'FAILED',
          error,
          durationMs: totalMs,
          endedAt: event.metadata.occurredAt,
        })),
        additionalEffects: (render) => (render ? [countFailedRender(render, quotaRefundDate !== null)] : []),
      };
    },
    PdfDiscarded: (event) => {
      const { pdf, eraseAfter } = event.data;
      return updateRender(event, () => ({ pdf, keptUntil: eraseAfter }));
    },
    PdfRegenerationEnded: (event) => {
      const { keptUntil } = event.data;
      return keptUntil === null ? null : updateRender(event, () => ({ keptUntil }));
    },
    PdfErased: (event) => updateRender(event, () => ({ keptUntil: null })),
  },
};
