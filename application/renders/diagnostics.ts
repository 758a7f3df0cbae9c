import { setTimeout as sleep } from 'node:timers/promises';
import type { EventData } from '#contracts/events/all.ts';
import { type Diagnosis, type Diagnostics, diagnosis as diagnosisSchema } from '#contracts/http/diagnostics.ts';
import { streams } from '#contracts/names.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import { isRecent } from '#libs/clock/clock.ts';
import { render } from '#libs/domain/render.ts';
import { type RecordedEvent, RevisionConflict } from '#libs/event-store/port.ts';
import { type Cause, load, type Log } from '#application/handling/handle.ts';
import type { Estimates } from './estimate.ts';

export type DiagnosticsParts = { log: Log; blobs: BlobStore; estimates: Pick<Estimates, 'of'> };

const loadRender = (log: Log, stream: string) => load(log, render, stream);
type Loaded = Awaited<ReturnType<typeof loadRender>>;
const diagnosisIn = (history: readonly RecordedEvent[]) => history.find((event) => event.type === 'RenderDiagnosed')?.data;

/** One that was asked for so long ago has been lost, or has failed: it is asked for again. */
const askedAgainAfterMs = 60_000;
const longestWaitMs = 45_000;
const [firstLookMs, longestLookMs] = [50, 500];

/** What the render's own story tells, for nothing. */
const fromStory = (completed: EventData['RenderCompleted'] | undefined, found: Diagnosis | null): Diagnostics => {
  const durations = completed?.durations;
  return {
    lane: completed?.lane ?? found?.lane ?? null,
    lane_reason: completed?.laneReason ?? found?.lane_reason ?? null,
    timings_ms: durations ? { queue: durations.queueMs, prepare: durations.prepareMs, wait: durations.waitMs, load: durations.loadMs, print: durations.printMs, total: durations.totalMs } : null,
    failed_resources: completed ? completed.warnings.map(({ url, reason }) => ({ url, reason })) : (found?.failed_resources ?? null),
  };
};

/** So often at most is it asked for. */
const askedAtMost = 3;

/** Whether a diagnosis is under way, or has been lost as often as it may be. */
const isAsked = (history: readonly RecordedEvent[], now: Date): boolean => {
  const asked = history.filter(({ type }) => type === 'DiagnosisRequested');
  return asked.length >= askedAtMost || asked.some(({ metadata }) => isRecent(metadata.occurredAt, now, askedAgainAfterMs));
};

/** Asks for a diagnosis unless somebody else has. False where it would have to wait for too long. */
const ask = async ({ estimates }: DiagnosticsParts, { history, aggregate }: Loaded, cause: Cause): Promise<boolean> => {
  const { accountId, source, limits } = history.find((event) => event.type === 'RenderRequested')!.data;
  const { waitMs } = await estimates.of({ accountId, source, reply: 'wait' });
  if (waitMs > limits.processingMs) return false;
  try {
    await aggregate.attempt({ type: 'requestDiagnosis' }, cause);
  } catch (error) {
    if (!(error instanceof RevisionConflict)) throw error;
  }
  return true;
};

/** The render's story once it tells of a diagnosis; as it is after a while where it does not. The log is asked, so whichever process makes the diagnosis is heard. */
const withDiagnosis = async ({ store }: Log, stream: string, signal: AbortSignal): Promise<RecordedEvent[]> => {
  const giveUpAt = performance.now() + longestWaitMs;
  for (let waitMs = firstLookMs; ; waitMs = Math.min(2 * waitMs, longestLookMs)) {
    const history = await store.read(stream);
    if (diagnosisIn(history) || signal.aborted || performance.now() > giveUpAt) return history;
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
};

/**
 * What can be known of a render that has ended; null for one that has not. Timings, lane and failed resources are in its story. Messages and fonts are not: who asks for them first has the
 * document made once more, and looked at closely. `signal` ends the waiting for that.
 */
export const diagnosticsOf = async (parts: DiagnosticsParts, id: string, cause: Cause, signal: AbortSignal): Promise<Diagnostics | null> => {
  const { log, blobs } = parts;
  const stream = streams.render(id);
  const loaded = await loadRender(log, stream);
  const { history, aggregate } = loaded;
  const { status } = aggregate.state;
  if (status !== 'DONE' && status !== 'FAILED') return null;
  const completed = history.find((event) => event.type === 'RenderCompleted')?.data;
  const known = diagnosisIn(history);
  if (!known && !isAsked(history, log.now()) && !(await ask(parts, loaded, cause))) return { ...fromStory(completed, null), pending: true };
  const made = known ?? diagnosisIn(await withDiagnosis(log, stream, signal));
  if (!made) return { ...fromStory(completed, null), pending: true };
  const found = diagnosisSchema.parse(JSON.parse(Buffer.from(await blobs.get(made.diagnosis.sha256)).toString()));
  const { console, further_messages, fonts, same_bytes, error } = found;
  return { ...fromStory(completed, found), console, further_messages, fonts, same_bytes, error };
};
