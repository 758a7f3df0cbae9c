import { useEffect, useEffectEvent } from 'react';
import type { QueryKey } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';
import { requestAccount, requestRaw } from './client.ts';
import { reload } from './queries.ts';
import { useThrottled } from './use-throttled.ts';

/** A message of a stream of server-sent events. `data` is null if it only has an id, to go on from there. */
type StreamMessage = { id: string | null; event: string; data: object | null };

const liveEventsPath = '/api/v1/events/live';

const parse = (block: string): StreamMessage => {
  const fields = block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line));
  const valueOf = (name: string): string | null => fields.findLast((field) => field?.[1] === name)?.[2] ?? null;
  const data = JSON.parse(valueOf('data') ?? 'null') as object | null;
  return { id: valueOf('id'), event: valueOf('event') ?? 'message', data };
};

/**
 * Reads the live stream of the account to its end, from the message after `lastId` on. A fetch can send the header that
 * chooses the account; EventSource cannot. @throws ApiError
 */
const readLiveStream = async (
  lastId: string | null,
  signal: AbortSignal,
  onMessage: (message: StreamMessage) => void,
): Promise<void> => {
  const headers = { accept: 'text/event-stream', ...(lastId === null ? {} : { 'last-event-id': lastId }) };
  const { body } = await requestRaw('GET', liveEventsPath, { signal, headers });
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ''; ;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (text + value).split('\n\n');
    text = blocks.pop()!;
    for (const block of blocks) onMessage(parse(block));
  }
};

/** A message of the live stream: `event` is its kind, `data` its JSON. */
type LiveEvent = { event: string; data: unknown };
type Listener = (event: LiveEvent) => void;

const firstDelayMs = 1_000;
const maxDelayMs = 30_000;
const steadyMs = 10_000;

const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Holds a lock that one tab of this browser can have; where there are no locks, every tab has one. */
const withTabLock = async (name: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> => {
  // Only pages that came over https or from this machine have locks.
  if (!('locks' in navigator)) return work();
  await navigator.locks.request(name, { signal }, work).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
};

const listeners = new Set<Listener>();
/** See `useStreamStart`. */
const startListeners = new Set<() => void>();
/** The id of the last message, after which the next stream begins. */
let lastId: string | null = null;

/**
 * Follows the stream of the account until `signal` aborts. One tab reads it and tells the others, because a browser
 * opens only six connections to a service over HTTP/1.1, and the service allows a person only four streams.
 */
const follow = async (signal: AbortSignal): Promise<void> => {
  // A page shows one account, and pages without an account follow nothing.
  const name = `colophon-live-${requestAccount()}`;
  const channel = new BroadcastChannel(name);
  const receive = ({ id, event, data }: StreamMessage): void => {
    if (id !== null && lastId === null) for (const notice of startListeners) notice();
    lastId = id ?? lastId;
    if (data !== null) for (const listener of listeners) listener({ event, data });
  };
  channel.addEventListener('message', ({ data }: MessageEvent<StreamMessage>) => receive(data));
  const read = async (): Promise<void> => {
    for (let delay = firstDelayMs; !signal.aborted;) {
      const started = Date.now();
      try {
        await readLiveStream(lastId, signal, (message) => {
          channel.postMessage(message);
          receive(message);
        });
      } catch (error) {
        // The role does not allow it: another try would not help.
        if (error instanceof ApiError && error.status === 403) return;
      }
      delay = Date.now() - started > steadyMs ? firstDelayMs : Math.min(delay * 2, maxDelayMs);
      await wait(delay, signal);
    }
  };
  try {
    await withTabLock(name, signal, read);
  } finally {
    channel.close();
  }
};

let connection: AbortController | null = null;

const disconnect = (): void => {
  connection?.abort();
  connection = null;
};

/** The next page usually follows the stream, too. In milliseconds. */
const lingerMs = 3_000;

const subscribe = (listener: Listener): (() => void) => {
  listeners.add(listener);
  if (!connection) {
    connection = new AbortController();
    follow(connection.signal).catch(() => undefined);
  }
  return () => {
    listeners.delete(listener);
    setTimeout(() => listeners.size === 0 && disconnect(), lingerMs);
  };
};

/**
 * Calls the listener for each message of the account's live stream while the component is shown. All components and
 * tabs share one connection, which is opened again after a failure. The event `reset` says that events were missed.
 */
export const useLiveEvents = (listener: Listener): void => {
  const onEvent = useEffectEvent(listener);
  useEffect(() => subscribe((event) => onEvent(event)), []);
};

/** Calls the listener when a stream begins that does not go on from an earlier one: events may have been missed. */
export const useStreamStart = (listener: () => void): void => {
  const onStart = useEffectEvent(listener);
  useEffect(() => {
    const notice = (): void => onStart();
    startListeners.add(notice);
    return () => void startListeners.delete(notice);
  }, []);
};

/** How often statistics are loaded again, in milliseconds: several requests each time, and a person has a limit. */
export const statisticsIntervalMs = 4_000;

type LiveQueriesOptions = { isShown?: (subject: string | undefined) => boolean; intervalMs?: number };

/**
 * Loads queries again when events of these types happen, and when events may have been missed; how often, see
 * `useThrottled`. `isShown` limits it to events about certain subjects.
 */
export const useLiveQueries = (
  queryKeys: readonly QueryKey[],
  types: RegExp,
  { isShown = () => true, intervalMs }: LiveQueriesOptions = {},
): void => {
  const reloadSoon = useThrottled(() => {
    for (const queryKey of queryKeys) void reload(...queryKey);
  }, intervalMs);
  useLiveEvents(({ event, data }) => {
    const { type, subject } = data as { type?: string; subject?: string };
    if (event === 'reset' || (type !== undefined && types.test(type) && isShown(subject))) reloadSoon();
  });
  useStreamStart(reloadSoon);
};
