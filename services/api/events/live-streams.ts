import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiError } from '#contracts/http/api-error.ts';
import { bareId } from '#contracts/names.ts';
import { hasFullShare } from '#libs/concurrency/permits.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import { createEventFeed, type EventFeedOptions, type LiveEvent } from './event-feed.ts';
import { createLiveStream, type LiveStream } from './live-stream.ts';

/** `lastEventId` is the position of the last event that the reader has; undefined if it has none. */
export type LiveStreamRequest = {
  accountId: string;
  /** The key or person. */
  callerId: string;
  lastEventId: string | undefined;
  /** Whether the caller may still read the events. */
  isAllowed: () => Promise<boolean>;
};

export type LiveStreams = {
  /** @throws ApiError too_many_streams, service_unavailable */
  open(request: LiveStreamRequest): Promise<Readable>;
  /** Ends all streams. */
  close(): void;
};

/** A person's streams leave two of the six connections that a browser opens to a host over HTTP/1.1. */
export const streamLimits = { perCaller: 4, perAccount: 50, perProcess: 1_000 } as const;
const defaultHeartbeatMs = 15_000;
/** After an event that can end access: the caches of callers have expired by then. */
const defaultRecheckDelayMs = 500;

const retryAfterSeconds = 30;
const tooManyStreams = (limit: number, message: string): ApiError =>
  ApiError.of('too_many_streams', message, { limit, retry_after: retryAfterSeconds });
const ownLimitReached = (limit: number, whose: string): ApiError =>
  tooManyStreams(limit, `${whose} can have ${limit} live streams at once. Close another one.`);
/** `held` is how many the account has. */
const fewStreamsLeft = (held: number): ApiError =>
  tooManyStreams(
    held,
    `The service has few live streams left. An account with ${held} cannot open more now. ` +
      `Try again in ${retryAfterSeconds} s.`,
  );
const noStreamLeft = (): ApiError =>
  tooManyStreams(streamLimits.perProcess, `The service has no live stream left. Try again in ${retryAfterSeconds} s.`);

type OpenStream = LiveStreamRequest & { stream: LiveStream };

export type LiveStreamOptions = EventFeedOptions & {
  /** The events of an account after one position up to another, or that these are too many to send again. */
  readMissed: (accountId: string, after: number, until: number) => Promise<LiveEvent[] | 'too many'>;
  heartbeatMs?: number;
  recheckDelayMs?: number;
};

const mayEndAccess = ({ subject }: LiveEvent): boolean =>
  (['render', 'job', 'tpl'] as const).every((prefix) => bareId(prefix, subject) === undefined);

/** The live streams of one process. Without streams nothing is read from the event log, and no timer runs. */
export const createLiveStreams = (
  store: Pick<EventStore, 'head' | 'subscribe'>,
  options: LiveStreamOptions,
): LiveStreams => {
  const feed = createEventFeed(store, options);
  const open = new Set<OpenStream>();
  let heartbeat: NodeJS.Timeout | undefined;
  const rechecks = new Map<string, NodeJS.Timeout>();
  let isCheckingAll = false;
  let isClosed = false;

  const requireFree = ({ accountId, callerId }: LiveStreamRequest): void => {
    const all = [...open];
    const { perCaller, perAccount, perProcess } = streamLimits;
    if (all.filter((one) => one.callerId === callerId).length >= perCaller)
      throw ownLimitReached(perCaller, 'A key or person');
    const held = all.filter((one) => one.accountId === accountId).length;
    if (held >= perAccount) throw ownLimitReached(perAccount, 'An account');
    const free = perProcess - all.length;
    if (free <= 0) throw noStreamLeft();
    if (hasFullShare(held, free)) throw fewStreamsLeft(held);
  };
  /** Ends the streams whose callers may not read them any more. While that cannot be checked, they stay open. */
  const endWithoutAccess = async (streams: readonly OpenStream[]): Promise<void> => {
    for (const one of streams) {
      if (!open.has(one)) continue;
      const { stream, isAllowed } = one;
      if (!(await isAllowed().catch(() => true))) stream.end('access_ended');
      // A check can read from SQLite, and there can be a thousand.
      await nextTurn();
    }
  };
  /** A change in one account must not check the streams of all accounts. */
  const recheckSoon = (accountId: string): void => {
    if (rechecks.has(accountId)) return;
    const recheck = (): void => {
      rechecks.delete(accountId);
      void endWithoutAccess([...open].filter((one) => one.accountId === accountId));
    };
    rechecks.set(accountId, setTimeout(recheck, options.recheckDelayMs ?? defaultRecheckDelayMs).unref());
  };
  const beat = (): void => {
    for (const { stream } of open) stream.beat();
    if (isCheckingAll) return;
    isCheckingAll = true;
    void endWithoutAccess([...open]).finally(() => (isCheckingAll = false));
  };
  const add = (one: OpenStream): void => {
    open.add(one);
    heartbeat ??= setInterval(beat, options.heartbeatMs ?? defaultHeartbeatMs).unref();
    one.stream.body.once('close', () => {
      open.delete(one);
      feed.leave(one.stream.listener);
      if (open.size > 0) return;
      clearInterval(heartbeat);
      heartbeat = undefined;
    });
  };

  return {
    open: async (request) => {
      if (isClosed)
        throw ApiError.of('service_unavailable', 'The service is stopping. Try again in a moment.', { retry_after: 5 });
      requireFree(request);
      const { accountId, lastEventId } = request;
      const stream = createLiveStream(accountId, (events) => {
        if (events.some(mayEndAccess)) recheckSoon(accountId);
      });
      add({ ...request, stream });
      try {
        const position = await feed.join(stream.listener);
        const after = lastEventId === undefined ? position : Number(lastEventId);
        const isKnown = Number.isSafeInteger(after) && after >= 0 && after <= position;
        stream.begin(position, isKnown ? await options.readMissed(accountId, after, position) : 'too many');
      } catch (error) {
        stream.body.destroy();
        throw error;
      }
      return stream.body;
    },
    close: () => {
      isClosed = true;
      for (const { stream } of [...open]) stream.end('service_stopping');
    },
  };
};
