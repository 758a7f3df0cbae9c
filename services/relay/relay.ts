import { idOfStream, streams } from '#contracts/names.ts';
import type { Bus } from '#libs/bus/port.ts';
import { runUntilAborted } from '#libs/concurrency/timeout.ts';
import type { EventStore, RecordedEvent } from '#libs/event-store/port.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { observeSubscription } from '#libs/telemetry/subscription-metrics.ts';
import { publishWithTrace } from '#libs/telemetry/message-tracing.ts';
import { addOpenTasks } from './open-tasks.ts';
import { createScheduler, type Scheduler, type SchedulerLimits } from './scheduler.ts';
import { applyEvent, type Schedulers, type RelayTask } from './relay-tasks.ts';

export type RelayDependencies = {
  store: EventStore;
  bus: Bus;
  reads: ReadStore;
  /** How many renders one renderer process works on while none takes long. */
  concurrency: number;
  /** How many it works on while some take long. */
  maxConcurrency: number;
};

/** An account has at most `perAccount` attempts under way, which cost little while their receivers are silent. */
const deliverySchedulerLimits: SchedulerLimits = {
  maxOutstandingPerAccount: 1_000,
  maxOutstanding: 5_000,
  maxUnstarted: 2_000,
};

/** A renderer process that has begun nothing for so long is not counted. */
const rendererTimeoutMs = 60_000;
/** So much for each place waits on the bus, so that no worker waits for the relay. */
const unstartedPerPermit = 2;
/** In milliseconds: how often it looks for what it may publish although no event came, and after how long a silence it publishes again. */
const [checkIntervalMs, stalledAfterMs] = [1_000, 20_000];

/** Knows by their starts how many renderer processes there are: the limits of renders follow from that. */
const openRenderSchedulerLimits = ({ concurrency, maxConcurrency }: RelayDependencies, clock: () => number) => {
  const seenAt = new Map<string, number>();
  return {
    recordStart: (event: RecordedEvent): void => {
      if (event.type !== 'RenderStarted') return;
      const now = clock();
      seenAt.set(event.data.worker, now);
      for (const [worker, at] of seenAt) if (now - at > rendererTimeoutMs) seenAt.delete(worker);
    },
    limits: (): SchedulerLimits => {
      const workers = Math.max(1, seenAt.size);
      return {
        maxOutstandingPerAccount: concurrency * workers,
        maxOutstanding: maxConcurrency * workers,
        maxUnstarted: unstartedPerPermit * concurrency * workers,
      };
    },
  };
};

/** What led to work that the read models tell of. */
const findTraceparent = async (store: EventStore, { key }: RelayTask): Promise<string | null> => {
  const of = async (stream: string): Promise<RecordedEvent | undefined> => (await store.read(stream)).at(-1);
  const last = (await of(key)) ?? (await of(streams.render(idOfStream(key))));
  return last?.metadata.traceparent ?? null;
};

/**
 * Carries work from the log to the bus, until `signal` aborts: little at a time, so that the schedulers decide the order as late as possible. It learns what is open from the read models and
 * the log after them, and publishes nothing before it knows the whole log; a second relay or a lost message does no harm, since messages have the identity of their work.
 * `clock` tells milliseconds.
 */
export const runRelay = async (
  parts: RelayDependencies,
  signal: AbortSignal,
  clock = (): number => performance.now(),
): Promise<void> => {
  const { store, bus, reads } = parts;
  const renderers = openRenderSchedulerLimits(parts, clock);
  const schedulers: Schedulers = {
    renders: createScheduler(renderers.limits),
    deliveries: createScheduler(() => deliverySchedulerLimits),
  };
  const from = await addOpenTasks(schedulers, reads);
  const head = await store.head();
  let isCaughtUp = from >= head;
  let lookedAt = clock();

  const publish = async (work: RelayTask): Promise<void> =>
    publishWithTrace(
      bus,
      work.message,
      work.traceparent === undefined ? await findTraceparent(store, work) : work.traceparent,
    );
  const publishNext = async (scheduler: Scheduler<RelayTask>): Promise<void> => {
    const publishing: Promise<void>[] = [];
    for (let work = scheduler.take(clock()); work; work = scheduler.take(clock())) publishing.push(publish(work));
    await Promise.all(publishing);
  };
  const publishAll = async (): Promise<void> => {
    if (isCaughtUp) await Promise.all(Object.values(schedulers).map(publishNext));
  };
  const publishSilent = async (): Promise<void> => {
    for (const scheduler of Object.values(schedulers)) {
      for (const work of scheduler.takeStalled(clock(), stalledAfterMs)) {
        if (work.republishWhenStalled) await publish(work);
        else scheduler.end(work.key);
      }
    }
  };

  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  let isLooking = false;
  // A bus that is away for long would be handed the same work by each look anew.
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    await publishAll();
    if (clock() - lookedAt >= stalledAfterMs / 2) {
      lookedAt = clock();
      await publishSilent();
    }
    isLooking = false;
  };
  const failing = Promise.withResolvers<never>();
  const timer = setInterval(() => void look().catch(failing.reject), checkIntervalMs);

  const follow = async (): Promise<void> => {
    await publishAll();
    for await (const batch of observeSubscription('relay', store, from, until)) {
      for (const event of batch) {
        // A process that began a render before may be gone; one that is not soon begins another.
        if (isCaughtUp) renderers.recordStart(event);
        applyEvent(schedulers, event, isCaughtUp ? clock() : null);
      }
      isCaughtUp ||= batch.at(-1)!.position >= head;
      await publishAll();
    }
  };
  try {
    // What a bus that is away does not take is not waited for: whoever relays next publishes it.
    await runUntilAborted(signal, () => Promise.race([follow(), failing.promise]));
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    clearInterval(timer);
    over.abort();
  }
};
