import { streams } from '#contracts/names.ts';
import type { RenderReply, RenderReplies } from '#libs/replies/port.ts';
import { isRecent } from '#libs/time/is-recent.ts';
import { nextRegeneration, render } from '#libs/domain/render.ts';
import { causedBy, loadAggregate, type EventLog } from '#application/command-handling/aggregate.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';

/** Times in milliseconds: until the first look into the event log, between looks, and for the regeneration of a PDF. */
export type EventLogFallbackOptions = { initialDelayMs: number; pollIntervalMs: number; regenerationTimeoutMs: number };
const defaultFallbackOptions: EventLogFallbackOptions = {
  initialDelayMs: 3_000,
  pollIntervalMs: 1_000,
  regenerationTimeoutMs: 30_000,
};

const serviceUnavailable = (message: string): RenderReply => ({
  status: 'FAILED',
  error: { name: 'service_unavailable', message, extra: { retry_after: 5 } },
});

/** Whether a regeneration was requested in the last `timeoutMs` milliseconds and has not ended. */
export const isRegenerationPending = (
  history: readonly RecordedEvent[],
  now: Date,
  timeoutMs = defaultFallbackOptions.regenerationTimeoutMs,
): boolean => {
  const last = history.findLast(({ type }) => type === 'PdfRegenerationRequested' || type === 'PdfRegenerationEnded');
  return last?.type === 'PdfRegenerationRequested' && isRecent(last.metadata.occurredAt, now, timeoutMs);
};

/**
 * The reply of an ended render. If the PDF was rendered but its reply was lost (`wasDone`), requests a regeneration.
 */
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
  if (count === null) return serviceUnavailable('The PDF was rendered but could not be delivered. Send a new request.');
  await aggregate.execute({ type: 'requestPdfRegeneration', count }, causedBy(history.at(-1)!, 'api'));
  return 'done';
};

type PendingRequest = { id: string; since: number; wasDone: boolean; resolve: (reply: RenderReply) => void };

/**
 * Replies that are not lost with a message or a process: a caller that waits for long gets the outcome from the event
 * log. `closed` returns why callers are not served now, if so. `close` stops the polling.
 */
export const withEventLogFallback = (
  replies: RenderReplies,
  eventLog: EventLog,
  closed: () => string | null,
  options: EventLogFallbackOptions = defaultFallbackOptions,
): RenderReplies & { close(): void } => {
  const pending = new Set<PendingRequest>();
  const checkRequest = async (request: PendingRequest): Promise<void> => {
    const reason = closed();
    if (reason !== null) return request.resolve(serviceUnavailable(reason));
    const found = await readReplyFromEventLog(eventLog, request.id, request.wasDone, options).catch(() => null);
    if (found === 'done') request.wasDone = true;
    else if (found) request.resolve(found);
  };
  let isPolling = false;
  const poll = async (): Promise<void> => {
    if (isPolling) return;
    isPolling = true;
    const before = performance.now() - options.initialDelayMs;
    for (const request of pending) if (request.since <= before) await checkRequest(request);
    isPolling = false;
  };
  let timer: NodeJS.Timeout | undefined;
  const remove = (request: PendingRequest): void => {
    pending.delete(request);
    if (pending.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    wait: (id, signal) => {
      const { promise, resolve } = Promise.withResolvers<RenderReply | null>();
      const request: PendingRequest = { id, since: performance.now(), wasDone: false, resolve };
      pending.add(request);
      timer ??= setInterval(() => void poll(), options.pollIntervalMs);
      void replies.wait(id, signal).then(resolve, () => undefined);
      return promise.finally(() => remove(request));
    },
    send: (id, reply) => replies.send(id, reply),
    close: () => clearInterval(timer),
  };
};
