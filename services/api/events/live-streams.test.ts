import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { createChangeSignal } from '#libs/concurrency/change-signal.ts';
import type { EventStore, RecordedEvent } from '#libs/event-store/port.ts';
import { liveEventOf } from './event-feed.ts';
import { createLiveStreams, type LiveStreamOptions, type LiveStreamRequest, streamLimits } from './live-streams.ts';

const never = new AbortController().signal;
/** No heartbeat checks access instead of what is tested. */
const longestTimerMs = 2 ** 31 - 1;

/** An event log in memory that counts its subscriptions. */
const createLog = () => {
  const events: RecordedEvent[] = [];
  const changes = createChangeSignal();
  const log = { subscriptions: 0, running: 0 };
  const append = (accountId: string, type = 'RenderStarted', stream = 'render-01JR04W1PD2M5S8V3Q6X9Z7TKF'): number => {
    const position = events.length + 1;
    events.push({ type, stream, position, metadata: { accountId } } as RecordedEvent);
    changes.notify();
    return position;
  };
  const readMissed: LiveStreamOptions['readMissed'] = async (accountId, after, until) => {
    const own = events.slice(after, until).filter(({ metadata }) => metadata.accountId === accountId);
    return own.length > 2_000 ? 'too many' : own.flatMap((event) => liveEventOf(event) ?? []);
  };
  const store: Pick<EventStore, 'head' | 'subscribe'> = {
    head: async () => events.length,
    subscribe: async function* (after, signal) {
      log.subscriptions += 1;
      log.running += 1;
      try {
        for (let position = after; !signal.aborted;) {
          const batch = events.slice(position, position + 256);
          position += batch.length;
          if (batch.length > 0) yield batch;
          else await changes.waitForChange(signal);
        }
      } finally {
        log.running -= 1;
      }
    },
  };
  return { log, append, store, readMissed };
};

const openLog = (
  waitUntilShown: (position: number) => Promise<unknown> = async () => undefined,
  options: { heartbeatMs?: number } = {},
) => {
  const { log, append, store, readMissed } = createLog();
  const reportError = () => undefined;
  const streams = createLiveStreams(store, {
    waitUntilShown,
    readMissed,
    reportError,
    intervalMs: 0,
    recheckDelayMs: 0,
    heartbeatMs: longestTimerMs,
    ...options,
  });
  const open = (request: Partial<LiveStreamRequest> = {}) =>
    streams.open({ accountId: 'a', callerId: 'k', lastEventId: undefined, isAllowed: async () => true, ...request });
  return { log, append, streams, open };
};

type Body = Awaited<ReturnType<ReturnType<typeof createLiveStreams>['open']>>;

/** Reads until the text has all of these parts. */
const readUntil = async (body: Body, ...parts: string[]): Promise<string> => {
  let text = '';
  while (!parts.every((part) => text.includes(part))) {
    if (body.readableLength === 0) await once(body, 'readable', { signal: never });
    text += String((body.read() as Buffer | null) ?? '');
  }
  return text;
};
const readBeats = async (body: Body, count: number): Promise<void> => {
  for (let beat = 0; beat < count; beat += 1) await readUntil(body, ': heartbeat');
};
const positionsIn = (text: string): number[] =>
  [...text.matchAll(/^id: (\d+)\ndata/gm)].map(([, position]) => Number(position));
const close = async (...bodies: Body[]): Promise<void> => {
  await Promise.all(bodies.map((body) => once(body.destroy(), 'close')));
};

describe('The live streams of a process', () => {
  it('share one subscription, which ends with the last of them', async () => {
    const { log, append, open } = openLog();
    expect(log).toEqual({ subscriptions: 0, running: 0 });
    const bodies = [await open(), await open({ accountId: 'b' }), await open()];
    append('a');
    await readUntil(bodies[0]!, 'id: 1\ndata');
    await readUntil(bodies[2]!, 'id: 1\ndata');
    append('b');
    await readUntil(bodies[1]!, 'id: 2\ndata: {"type":"RenderStarted","subject":"render_01JR04W1PD2M5S8V3Q6X9Z7TKF"}');
    expect(log).toEqual({ subscriptions: 1, running: 1 });
    await close(...bodies);
    append('a');
    await expect.poll(() => log.running).toBe(0);
    const again = await open();
    append('a');
    await readUntil(again, 'id: 4\ndata');
    expect(log.subscriptions).toBe(2);
    await close(again);
  });

  it('have the events of the own account only, and none of streams without an id in the API', async () => {
    const { append, open } = openLog();
    const body = await open();
    append('b');
    append('a', 'TemplateNameReserved', 'templateName-1');
    append('a');
    expect(positionsIn(await readUntil(body, 'id: 3\ndata'))).toEqual([3]);
    await close(body);
  });

  it('send each event once after a reconnection, also those that happen meanwhile', async () => {
    const { append, open } = openLog();
    for (let event = 0; event < 600; event += 1) append(event % 2 === 0 ? 'a' : 'b');
    const opening = open({ lastEventId: '10' });
    append('a');
    append('a');
    const body = await opening;
    append('a');
    const expected = Array.from({ length: 600 }, (_, index) => index + 1).filter((one) => one > 10 && one % 2 === 1);
    expect(positionsIn(await readUntil(body, 'id: 603\ndata'))).toEqual([...expected, 601, 602, 603]);
    await close(body);
  });

  it.each(['0', '3000', 'x', '-1', '1.5'])(
    'send a reset for the last event id %s of a long log',
    async (lastEventId) => {
      const { append, open } = openLog();
      for (let event = 0; event < 2_500; event += 1) append('a');
      const body = await open({ lastEventId });
      expect(positionsIn(await readUntil(body, 'id: 2500\nevent: reset\ndata: {}\n\n'))).toEqual([]);
      await close(body);
    },
  );

  it('send an event only when queries show it', async () => {
    const shown = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<number>();
    const { append, open } = openLog((position) => {
      asked.resolve(position);
      return shown.promise;
    });
    const body = await open();
    await readUntil(body, 'id: 0\n\n');
    append('a');
    expect(await asked.promise).toBe(1);
    expect(body.readableLength).toBe(0);
    shown.resolve();
    await readUntil(body, 'id: 1\ndata');
    await close(body);
  });

  it('are limited per caller and per account, and a closed one makes room', async () => {
    const { open } = openLog();
    const own = await Promise.all(Array.from({ length: streamLimits.perCaller }, () => open()));
    await expect(open()).rejects.toMatchObject({ fields: { name: 'too_many_streams', extra: { limit: 4 } } });
    await close(own[0]!);
    own[0] = await open();
    const others = await Promise.all(
      Array.from({ length: streamLimits.perAccount - own.length }, (_, index) => open({ callerId: String(index) })),
    );
    await expect(open({ callerId: 'new' })).rejects.toMatchObject({
      message: 'An account can have 50 live streams at once. Close another one.',
      fields: { extra: { limit: 50 } },
    });
    const stranger = await open({ accountId: 'b', callerId: 'new' });
    await close(...own, ...others, stranger);
  });

  it('leave room for other accounts when many accounts have as many as they can', async () => {
    const { open } = openLog();
    const bodies: Body[] = [];
    const openMany = async (accountId: string): Promise<number> => {
      for (let index = 0; index < streamLimits.perAccount; index += 1) {
        const body = await open({ accountId, callerId: `${accountId} ${index}` }).catch(() => null);
        if (!body) return index;
        bodies.push(body);
      }
      return streamLimits.perAccount;
    };
    const greedy: number[] = [];
    for (let index = 0; index < 20; index += 1) greedy.push(await openMany(`greedy ${index}`));
    expect(greedy.slice(0, 17)).toEqual(greedy.slice(0, 17).map(() => streamLimits.perAccount));
    expect(await openMany('late')).toBeGreaterThanOrEqual(streamLimits.perCaller);
    await close(...bodies);
  });

  it('are limited per process; an account without one gets the last one', async () => {
    const { open } = openLog();
    const openFor = (account: number) => open({ accountId: `${account}`, callerId: `${account}` });
    const bodies: Body[] = [];
    while (bodies.length < streamLimits.perProcess - 2) bodies.push(await openFor(bodies.length));
    await expect(open({ accountId: '0', callerId: 'new' })).rejects.toMatchObject({
      message: 'The service has few live streams left. An account with 1 cannot open more now. Try again in 30 s.',
      fields: { name: 'too_many_streams', extra: { limit: 1, retry_after: 30 } },
    });
    bodies.push(await openFor(998), await openFor(999));
    await expect(openFor(1_000)).rejects.toMatchObject({
      message: 'The service has no live stream left. Try again in 30 s.',
      fields: { name: 'too_many_streams', extra: { limit: 1_000, retry_after: 30 } },
    });
    await close(...bodies);
  });

  it('drop a reader that takes nothing, with a hint when to come back', async () => {
    const { append, open } = openLog();
    const [slow, fast] = [await open(), await open()];
    let received = '';
    fast.on('data', (chunk: Buffer) => (received += String(chunk)));
    for (let event = 0; event < 4_000; event += 1) append('a');
    await expect.poll(() => received).toContain('id: 4000\ndata');
    const text = await readUntil(slow, 'event: end');
    expect(text).toContain('retry: 15000\nevent: end\ndata: {"reason":"too_slow"}\n\n');
    expect(received).not.toContain('event: end');
    await close(fast);
  });

  it('check access after an event that can end it, not only at intervals', async () => {
    const { append, open } = openLog();
    const allowed = { own: true };
    const [own, other] = [await open({ isAllowed: async () => allowed.own }), await open({ callerId: 'l' })];
    allowed.own = false;
    append('a', 'ApiKeyRevoked', 'apiKey-01JR04W1PD2M5S8V3Q6X9Z7TKF');
    expect(await readUntil(own, 'event: end')).toContain('data: {"reason":"access_ended"}');
    append('a');
    expect(await readUntil(other, 'id: 2\ndata')).not.toContain('event: end');
    await close(other);
  });

  it('check access after each event that can end it, and stay open while it cannot be checked', async () => {
    const { append, open } = openLog();
    const allowed = { first: true, second: true };
    const unknown = vi.fn<() => Promise<boolean>>(() => Promise.reject(new Error('the read model is unavailable')));
    const unchecked = await open({ isAllowed: unknown });
    for (const name of ['first', 'second'] as const) {
      const revoked = await open({ callerId: name, isAllowed: async () => allowed[name] });
      allowed[name] = false;
      append('a', 'ApiKeyRevoked', 'apiKey-01JR04W1PD2M5S8V3Q6X9Z7TKF');
      expect(await readUntil(revoked, 'event: end')).toContain('data: {"reason":"access_ended"}');
    }
    expect(unknown).toHaveBeenCalledTimes(2);
    append('a');
    expect(await readUntil(unchecked, 'id: 3\ndata')).not.toContain('event: end');
    await close(unchecked);
  });

  it('check access once at a time, and not of streams that have closed', async () => {
    const { open } = openLog(undefined, { heartbeatMs: 1 });
    const checked = Promise.withResolvers<boolean>();
    const slow = vi.fn<() => Promise<boolean>>(() => checked.promise);
    const closed = vi.fn<() => Promise<boolean>>(async () => true);
    const first = await open({ isAllowed: slow });
    const second = await open({ isAllowed: closed });
    await readBeats(first, 1);
    await close(second);
    await readBeats(first, 5);
    expect([slow.mock.calls.length, closed.mock.calls.length]).toEqual([1, 0]);
    checked.resolve(true);
    await expect.poll(() => slow.mock.calls.length).toBeGreaterThan(1);
    expect(closed).not.toHaveBeenCalled();
    await close(first);
  });

  it('check access only in the account of the event, and let other work run in between', async () => {
    const { append, open } = openLog();
    let checks = 0;
    let turns = 0;
    const checksByTurn: number[] = [];
    const count = async () => {
      checksByTurn.push(turns);
      setImmediate(() => (turns += 1));
      checks += 1;
      return checks < 3;
    };
    let foreign = 0;
    const other = await open({ accountId: 'b', isAllowed: async () => (foreign += 1) > 0 });
    const own = await Promise.all([open({ isAllowed: count }), open({ isAllowed: count }), open({ isAllowed: count })]);
    append('a', 'ApiKeyRevoked', 'apiKey-01JR04W1PD2M5S8V3Q6X9Z7TKF');
    await readUntil(own[2], 'event: end');
    expect([new Set(checksByTurn).size, foreign]).toEqual([3, 0]);
    await close(...own, other);
  });

  it('end at the stop of the service, and no new one opens', async () => {
    const { streams, open, log } = openLog();
    const body = await open();
    streams.close();
    await readUntil(body, 'event: end\ndata: {"reason":"service_stopping"}\n\n');
    body.resume();
    await once(body, 'close');
    await expect(open()).rejects.toMatchObject({ fields: { name: 'service_unavailable' } });
    expect(log.running).toBe(0);
  });
});
