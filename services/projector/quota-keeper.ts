import { consumers, streams } from '#contracts/names.ts';
import { gathered } from '#libs/event-store/gathered.ts';
import type { EventStore, RecordedEvent } from '#libs/event-store/port.ts';
import type { Limits, LogFact } from '#libs/limits/port.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { countsTowardQuota } from '#libs/projections/usage.ts';

const factOf = ({ type, data, stream, metadata, position }: RecordedEvent): LogFact[] => {
  if (type === 'RenderRequested') return countsTowardQuota(data) ? [{ kind: 'accepted', renderId: stream.slice(streams.render('').length) }] : [];
  if (type !== 'RenderFailed' || metadata.accountId === null) return [];
  const { givesBack } = data;
  return givesBack === null ? [] : [{ kind: 'given-back', accountId: metadata.accountId, month: givesBack.slice(0, 7), position }];
};

export type QuotaKeeperParts = { store: EventStore; reads: ReadStore; limits: Limits };

/** These facts have time: what a failure gives back can be had so much later, and the log is asked for renders that are open much longer. */
const gatherMs = 250;

/** A fact that is told twice counts once, so the checkpoint may lag behind by so many events. */
const checkpointEvery = 1_000;

/** Follows the log and lets the counts of the month know what became of renders, until `signal` aborts. */
export const runQuotaKeeper = async ({ store, reads, limits }: QuotaKeeperParts, signal: AbortSignal): Promise<void> => {
  let checkpoint = await reads.checkpoint(consumers.quotaKeeper);
  let unnoted = 0;
  for await (const batch of gathered(store.subscribe(checkpoint, signal), signal, gatherMs)) {
    await limits.learn(batch.flatMap(factOf));
    const end = batch.at(-1)!.position;
    unnoted += batch.length;
    if (unnoted < checkpointEvery) continue;
    checkpoint = (await reads.apply(consumers.quotaKeeper, checkpoint, end, [])) ? end : await reads.checkpoint(consumers.quotaKeeper);
    unnoted = 0;
  }
};

/** Longer than any append takes that still succeeds. */
const longestOpenMs = 20_000;
/** The latest there is. */
const whenever = new Date(8_640_000_000_000_000);

/**
 * What takes back renders that were counted and never came into the log, because the process ended in between. Those that the log has meanwhile stay counted.
 * A render is given time from when it is first seen to be open, by `clock` in milliseconds: the clock that it was counted by may have been set since.
 */
export const openSettlement = ({ store, limits }: Pick<QuotaKeeperParts, 'store' | 'limits'>, clock = (): number => performance.now()): (() => Promise<void>) => {
  let seen = new Map<string, number>();
  return async () => {
    const now = clock();
    const open = await limits.openRenders(whenever);
    seen = new Map(open.map((renderId) => [renderId, seen.get(renderId) ?? now]));
    for (const [renderId, since] of seen) {
      if (now - since < longestOpenMs) continue;
      const events = await store.read(streams.render(renderId));
      await (events.length > 0 ? limits.learn([{ kind: 'accepted', renderId }]) : limits.forgoRender(renderId));
    }
  };
};

/** Settles open renders now and then, until `signal` aborts; `onError` hears what went wrong, and the next round tries again. */
export const runQuotaSettlement = (parts: QuotaKeeperParts, signal: AbortSignal, onError: (error: unknown) => void, everyMs = 5_000): Promise<void> =>
  new Promise((resolve) => {
    const settleOpen = openSettlement(parts);
    let round: Promise<void> = Promise.resolve();
    const settle = (): void => {
      round = round.then(settleOpen).catch(onError);
    };
    const timer = setInterval(settle, everyMs);
    settle();
    const stop = (): void => {
      clearInterval(timer);
      void round.then(resolve);
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
