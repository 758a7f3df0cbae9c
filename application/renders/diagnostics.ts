import { setTimeout as sleep } from 'node:timers/promises';
import type { EventData } from '#contracts/events/event-schemas.ts';
import { type Diagnosis, type Diagnostics, diagnosis as diagnosisSchema } from '#contracts/http/diagnostics.ts';
import { streams } from '#contracts/names.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import { isRecent } from '#libs/time/is-recent.ts';
import { render } from '#libs/domain/render.ts';
import { type RecordedEvent, RevisionConflict } from '#libs/event-store/port.ts';
import { type Cause, loadAggregate, type EventLog } from '#application/command-handling/aggregate.ts';
import type { Estimator } from './estimate.ts';

export type DiagnosticsDependencies = { eventLog: EventLog; blobs: BlobStore; estimator: Pick<Estimator, 'estimate'> };

const loadRender = (eventLog: EventLog, stream: string) => loadAggregate(eventLog, render, stream);
type LoadedRender = Awaited<ReturnType<typeof loadRender>>;
const findDiagnosis = (history: readonly RecordedEvent[]) =>
  history.find((event) => event.type === 'RenderDiagnosed')?.data;

/** A request older than this was lost or has failed, and is repeated. */
const repeatRequestAfterMs = 60_000;
const maxWaitMs = 45_000;
const [initialPollMs, maxPollMs] = [50, 500];

/** The part of the diagnostics that is in the render's history. */
const diagnosticsFromHistory = (
  completed: EventData['RenderCompleted'] | undefined,
  found: Diagnosis | null,
): Diagnostics => {
  const durations = completed?.durations;
  return {
    render_mode: completed?.renderMode ?? found?.render_mode ?? null,
    render_mode_reason: completed?.renderModeReason ?? found?.render_mode_reason ?? null,
    timings_ms: durations
      ? {
          queue: durations.queueMs,
          prepare: durations.prepareMs,
          wait: durations.waitMs,
          load: durations.loadMs,
          print: durations.printMs,
          total: durations.totalMs,
        }
      : null,
    failed_resources: completed
      ? completed.warnings.map(({ url, reason }) => ({ url, reason }))
      : (found?.failed_resources ?? null),
  };
};

const maxRequests = 3;

/** Whether a diagnosis is in progress, or was requested too often. */
const isRequested = (history: readonly RecordedEvent[], now: Date): boolean => {
  const requests = history.filter(({ type }) => type === 'DiagnosisRequested');
  return (
    requests.length >= maxRequests ||
    requests.some(({ metadata }) => isRecent(metadata.occurredAt, now, repeatRequestAfterMs))
  );
};

/** Requests a diagnosis, unless it is already requested. False if it would have to wait too long. */
const requestDiagnosis = async (
  { estimator }: DiagnosticsDependencies,
  { history, aggregate }: LoadedRender,
  cause: Cause,
): Promise<boolean> => {
  const { accountId, source, limits } = history.find((event) => event.type === 'RenderRequested')!.data;
  const { waitMs } = await estimator.estimate({ accountId, source, priority: 'urgent' });
  if (waitMs > limits.processingMs) return false;
  try {
    await aggregate.executeOnce({ type: 'requestDiagnosis' }, cause);
  } catch (error) {
    if (!(error instanceof RevisionConflict)) throw error;
  }
  return true;
};

/**
 * Polls the event log for the diagnosis, which any renderer can make. Returns the history, after a timeout without a
 * diagnosis.
 */
const waitForDiagnosis = async ({ store }: EventLog, stream: string, signal: AbortSignal): Promise<RecordedEvent[]> => {
  const deadline = performance.now() + maxWaitMs;
  for (let waitMs = initialPollMs; ; waitMs = Math.min(2 * waitMs, maxPollMs)) {
    const history = await store.read(stream);
    if (findDiagnosis(history) || signal.aborted || performance.now() > deadline) return history;
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
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
  if (!known && !isRequested(history, eventLog.now()) && !(await requestDiagnosis(dependencies, loaded, cause)))
    return { ...diagnosticsFromHistory(completed, null), pending: true };
  const diagnosed = known ?? findDiagnosis(await waitForDiagnosis(eventLog, stream, signal));
  if (!diagnosed) return { ...diagnosticsFromHistory(completed, null), pending: true };
  const found = diagnosisSchema.parse(JSON.parse(Buffer.from(await blobs.get(diagnosed.diagnosis.sha256)).toString()));
  const { console, omitted_messages, fonts, same_bytes, error } = found;
  return { ...diagnosticsFromHistory(completed, found), console, omitted_messages, fonts, same_bytes, error };
};
