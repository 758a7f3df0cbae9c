import { streams } from '#contracts/names.ts';
import type { RenderReply, RenderReplies } from '#libs/replies/port.ts';
import { isRecent } from '#libs/time/is-recent.ts';
import { nextRegeneration, render } from '#libs/domain/render.ts';
import { causedBy, loadAggregate, type EventLog } from '#application/command-handling/aggregate.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';

/** In milliseconds: how long nobody looks, how often is looked then, and how long a PDF that is made again may take. */
export type EventLogFallbackOptions = { initialDelayMs: number; pollIntervalMs: number; regenerationTimeoutMs: number };
const defaultFallbackOptions: EventLogFallbackOptions = {
  initialDelayMs: 3_000,
  pollIntervalMs: 1_000,
  regenerationTimeoutMs: 30_000,
};

const tooManyRegenerations: RenderReply = {
  status: 'FAILED',
  error: {
    name: 'service_unavailable',
    message: 'The PDF was made and could not be handed over. Send the request anew.',
    extra: { retry_after: 5 },
  },
};

/** Whether a render's PDF was asked for again in the last `againMs` milliseconds and is not there yet. */
export const isRegenerationPending = (
  history: readonly RecordedEvent[],
  now: Date,
  againMs = defaultFallbackOptions.regenerationTimeoutMs,
): boolean => {
  const last = history.findLast(({ type }) => type === 'PdfRegenerationRequested' || type === 'PdfRegenerationEnded');
  return last?.type === 'PdfRegenerationRequested' && isRecent(last.metadata.occurredAt, now, againMs);
};

/** The outcome that the log holds, if there is one to answer with. A PDF that was made and not handed over is asked for again: `wasDone` says that it is no longer under way. */
const readReplyFromEventLog = async (
  eventLog: EventLog,
  id: string,
  wasDone: boolean,
  { regenerationTimeoutMs }: EventLogFallbackOptions,
): Promise<RenderReply | 'done' | null> => {
  const { history, aggregate } = await loadAggregate(eventLog, render, streams.render(id));
  const failed = history.find((event) => event.type === 'RenderFailed');
  if (failed) return { status: 'FAILED', error: failed.data.error };
  if (aggregate.state.status !== 'DONE') return null;
  if (!wasDone || isRegenerationPending(history, eventLog.now(), regenerationTimeoutMs)) return 'done';
  const count = nextRegeneration(aggregate.state);
  if (count === null) return tooManyRegenerations;
  await aggregate.execute({ type: 'requestPdfRegeneration', count }, causedBy(history.at(-1)!, 'api'));
  return 'done';
};

type PendingRequest = { id: string; since: number; wasDone: boolean; resolve: (answer: RenderReply) => void };

const serviceUnavailable = (reason: string): RenderReply => ({
  status: 'FAILED',
  error: { name: 'service_unavailable', message: reason, extra: { retry_after: 5 } },
});

/**
 * Answers that are not lost with the message or the process that brought them: who has waited for long is told what the log says,
 * or why callers are not served now, which `closed` tells. `close` ends the looking.
 */
export const withEventLogFallback = (
  answers: RenderReplies,
  eventLog: EventLog,
  patience: EventLogFallbackOptions = defaultFallbackOptions,
  closed: () => string | null = () => null,
): RenderReplies & { close(): void } => {
  const waiting = new Set<PendingRequest>();
  const lookFor = async (one: PendingRequest): Promise<void> => {
    const reason = closed();
    if (reason !== null) return one.resolve(serviceUnavailable(reason));
    const found = await readReplyFromEventLog(eventLog, one.id, one.wasDone, patience).catch(() => null);
    if (found === 'done') one.wasDone = true;
    else if (found) one.resolve(found);
  };
  let looking = false;
  const look = async (): Promise<void> => {
    if (looking) return;
    looking = true;
    const before = performance.now() - patience.initialDelayMs;
    for (const one of waiting) if (one.since <= before) await lookFor(one);
    looking = false;
  };
  let timer: NodeJS.Timeout | undefined;
  const settle = (one: PendingRequest): void => {
    waiting.delete(one);
    if (waiting.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    wait: (id, signal) => {
      const { promise, resolve } = Promise.withResolvers<RenderReply | null>();
      const one: PendingRequest = { id, since: performance.now(), wasDone: false, resolve };
      waiting.add(one);
      timer ??= setInterval(() => void look(), patience.pollIntervalMs);
      void answers.wait(id, signal).then(resolve, () => undefined);
      return promise.finally(() => settle(one));
    },
    send: (id, answer) => answers.send(id, answer),
    close: () => clearInterval(timer),
  };
};
