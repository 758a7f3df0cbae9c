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

/** One that was asked for so long ago has been lost, or has failed: it is asked for again. */
const repeatRequestAfterMs = 60_000;
const maxWaitMs = 45_000;
const [firstLookMs, longestLookMs] = [50, 500];

/** What the render's own story tells, for nothing. */
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

/** So often at most is it asked for. */
const maxRequests = 3;

/** Whether a diagnosis is under way, or has been lost as often as it may be. */
const isRequested = (history: readonly RecordedEvent[], now: Date): boolean => {
  const asked = history.filter(({ type }) => type === 'DiagnosisRequested');
  return (
    asked.length >= maxRequests ||
    asked.some(({ metadata }) => isRecent(metadata.occurredAt, now, repeatRequestAfterMs))
  );
};

/** Asks for a diagnosis unless somebody else has. False where it would have to wait for too long. */
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

/** The render's story once it tells of a diagnosis; as it is after a while where it does not. The log is asked, so whichever process makes the diagnosis is heard. */
const waitForDiagnosis = async ({ store }: EventLog, stream: string, signal: AbortSignal): Promise<RecordedEvent[]> => {
  const giveUpAt = performance.now() + maxWaitMs;
  for (let waitMs = firstLookMs; ; waitMs = Math.min(2 * waitMs, longestLookMs)) {
    const history = await store.read(stream);
    if (findDiagnosis(history) || signal.aborted || performance.now() > giveUpAt) return history;
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
};

/**
 * What can be known of a render that has ended; null for one that has not. Timings, lane and failed resources are in its story. Messages and fonts are not: who asks for them first has the
 * document made once more, and looked at closely. `signal` ends the waiting for that.
 */
export const getDiagnostics = async (
  parts: DiagnosticsDependencies,
  id: string,
  cause: Cause,
  signal: AbortSignal,
): Promise<Diagnostics | null> => {
  const { eventLog, blobs } = parts;
  const stream = streams.render(id);
  const loaded = await loadRender(eventLog, stream);
  const { history, aggregate } = loaded;
  const { status } = aggregate.state;
  if (status !== 'DONE' && status !== 'FAILED') return null;
  const completed = history.find((event) => event.type === 'RenderCompleted')?.data;
  const known = findDiagnosis(history);
  if (!known && !isRequested(history, eventLog.now()) && !(await requestDiagnosis(parts, loaded, cause)))
    return { ...diagnosticsFromHistory(completed, null), pending: true };
  const made = known ?? findDiagnosis(await waitForDiagnosis(eventLog, stream, signal));
  if (!made) return { ...diagnosticsFromHistory(completed, null), pending: true };
  const found = diagnosisSchema.parse(JSON.parse(Buffer.from(await blobs.get(made.diagnosis.sha256)).toString()));
  const { console, omitted_messages, fonts, same_bytes, error } = found;
  return { ...diagnosticsFromHistory(completed, found), console, omitted_messages, fonts, same_bytes, error };
};
