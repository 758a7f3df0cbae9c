import type { RenderDurations } from '#contracts/events/render.ts';
import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import type { EventData } from '#contracts/events/event-schemas.ts';
import { type Diagnosis, type Diagnostics, diagnosis as diagnosisSchema } from '#contracts/http/diagnostics.ts';
import { streams } from '#contracts/names.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import { isRecent } from '#libs/time/is-recent.ts';
import { render } from '#libs/domain/render.ts';
import { type RecordedEvent, RevisionConflict } from '#libs/event-store/port.ts';
import { type Cause, loadAggregate, type EventLog } from '#application/command-handling/aggregate.ts';
import type { Estimator } from './estimate.ts';
import { requestAgainAfterMs, waitForEvent } from './wait-for-event.ts';

export type DiagnosticsDependencies = { eventLog: EventLog; blobs: BlobStore; estimator: Pick<Estimator, 'estimate'> };

const loadRender = (eventLog: EventLog, stream: string) => loadAggregate(eventLog, render, stream);
type LoadedRender = Awaited<ReturnType<typeof loadRender>>;
const findDiagnosis = (history: readonly RecordedEvent[]) =>
  history.find((event) => event.type === 'RenderDiagnosed')?.data ?? null;

/** The resources that are missing in the PDF. */
export const failedResourcesOf = (warnings: readonly RenderWarning[]): { url: string; reason: string }[] =>
  warnings.flatMap((warning) =>
    warning.kind === 'resource_failed' ? [{ url: warning.url, reason: warning.reason }] : [],
  );

/** The durations of a render as the API returns them. */
export const timingsOf = ({ queueMs, prepareMs, waitMs, loadMs, printMs, finishMs = 0, totalMs }: RenderDurations) => ({
  queue: queueMs,
  prepare: prepareMs,
  wait: waitMs,
  load: loadMs,
  print: printMs,
  finish: finishMs,
  total: totalMs,
});

/** The part of the diagnostics that is in the render's history. */
const diagnosticsFromHistory = (
  completed: EventData['RenderCompleted'] | undefined,
  found: Diagnosis | null,
): Diagnostics => {
  const durations = completed?.durations;
  return {
    render_mode: completed?.renderMode ?? found?.render_mode ?? null,
    render_mode_reason: completed?.renderModeReason ?? found?.render_mode_reason ?? null,
    timings_ms: durations ? timingsOf(durations) : null,
    ...(completed?.page ? { page: completed.page } : {}),
    failed_resources: completed ? failedResourcesOf(completed.warnings) : (found?.failed_resources ?? null),
  };
};

const maxRequests = 3;

/** Whether a diagnosis is in progress, or was requested too often. */
const isRequested = (history: readonly RecordedEvent[], now: Date): boolean => {
  const requests = history.filter(({ type }) => type === 'DiagnosisRequested');
  return (
    requests.length >= maxRequests ||
    requests.some(({ metadata }) => isRecent(metadata.occurredAt, now, requestAgainAfterMs))
  );
};

/** Requests a diagnosis, unless it is already requested. False if it would have to wait too long. */
const requestDiagnosis = async (
  { eventLog, estimator }: DiagnosticsDependencies,
  stream: string,
  loaded: LoadedRender,
  cause: Cause,
): Promise<boolean> => {
  const { accountId, source, limits } = loaded.history.find((event) => event.type === 'RenderRequested')!.data;
  let { history, aggregate } = loaded;
  while (!isRequested(history, eventLog.now())) {
    const { waitMs } = await estimator.estimate({ accountId, source, priority: 'urgent' });
    if (waitMs > limits.processingMs) return false;
    try {
      await aggregate.executeOnce({ type: 'requestDiagnosis' }, cause);
      return true;
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
      // Another caller has requested it, or something else has happened to the render.
      ({ history, aggregate } = await loadRender(eventLog, stream));
    }
  }
  return true;
};

const withDiagnosis = async (
  blobs: BlobStore,
  completed: EventData['RenderCompleted'] | undefined,
  { diagnosis }: EventData['RenderDiagnosed'],
): Promise<Diagnostics> => {
  const found = diagnosisSchema.parse(JSON.parse(Buffer.from(await blobs.get(diagnosis.sha256)).toString()));
  const { console, omitted_messages, fonts, same_bytes, page, error } = found;
  const pageNow = page ? { page_now: page } : {};
  return {
    ...diagnosticsFromHistory(completed, found),
    console,
    omitted_messages,
    fonts,
    same_bytes,
    ...pageNow,
    error,
  };
};

/** The diagnostics that are recorded, without another rendering; null if the render has not ended. */
export const readDiagnostics = async (
  { eventLog, blobs }: Pick<DiagnosticsDependencies, 'eventLog' | 'blobs'>,
  id: string,
): Promise<Diagnostics | null> => {
  const { history, aggregate } = await loadRender(eventLog, streams.render(id));
  if (aggregate.state.status !== 'DONE' && aggregate.state.status !== 'FAILED') return null;
  const completed = history.find((event) => event.type === 'RenderCompleted')?.data;
  const diagnosed = findDiagnosis(history);
  return diagnosed ? withDiagnosis(blobs, completed, diagnosed) : diagnosticsFromHistory(completed, null);
};

/**
 * The diagnostics of a render; null if it has not ended. Timings, render mode and failed resources are in its history.
 * For messages and fonts the first request renders the document again; `signal` ends the wait for that.
 */
export const getDiagnostics = async (
  dependencies: DiagnosticsDependencies,
  id: string,
  cause: Cause,
  signal: AbortSignal,
): Promise<Diagnostics | null> => {
  const { eventLog, blobs } = dependencies;
  const stream = streams.render(id);
  const loaded = await loadRender(eventLog, stream);
  const { history, aggregate } = loaded;
  const { status } = aggregate.state;
  if (status !== 'DONE' && status !== 'FAILED') return null;
  const completed = history.find((event) => event.type === 'RenderCompleted')?.data;
  const known = findDiagnosis(history);
  const isAwaited = !known && (await requestDiagnosis(dependencies, stream, loaded, cause));
  const diagnosed = isAwaited ? await waitForEvent(eventLog, stream, findDiagnosis, signal) : known;
  if (!diagnosed) return { ...diagnosticsFromHistory(completed, null), pending: true };
  return withDiagnosis(blobs, completed, diagnosed);
};
