import { setImmediate as nextTurn } from 'node:timers/promises';
import { idOfStream, streams } from '#contracts/names.ts';
import { readStream } from '#application/command-handling/history.ts';
import type { Bus } from '#libs/bus/port.ts';
import { runUntilAborted } from '#libs/concurrency/timeout.ts';
import type { EventStore, RecordedEvent } from '#libs/event-store/port.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { observeSubscription } from '#libs/telemetry/subscription-metrics.ts';
import { publishWithTrace } from '#libs/telemetry/message-tracing.ts';
import { addOpenTasks } from './open-tasks.ts';
import { createScheduler, type Scheduler, type SchedulerLimits } from './scheduler.ts';
import {
  applyEvent,
  isRenderAgainRequest,
  type RelayTask,
  type RequestedRender,
  type Schedulers,
} from './relay-tasks.ts';

export type RelayDependencies = {
  store: EventStore;
  bus: Bus;
  reads: ReadStore;
  /** How many renders of one kind a renderer process runs at once. */
  concurrency: Record<'renders' | 'officeRenders', RenderConcurrency>;
};

/** How many renders run at once while all are quick, and how many when some are slow. */
export type RenderConcurrency = { maxQuick: number; maxTotal: number };

/**
 * The limits are high, because an attempt costs little while it waits for its receiver. An account alone may have a third
 * of them (scheduler.ts), so that a thousand receivers that do not respond delay no other receiver of their account.
 * A delivery counts until it ends: before its first attempt it may wait for a connection to its receiver, with a permit, and
 * after a failed one it comes back. A third of 5,000 attempts of 10 s each at 256 connections take 65 s.
 */
const deliverySchedulerLimits: SchedulerLimits = {
  maxOutstandingPerAccount: Infinity,
  maxOutstanding: 5_000,
  maxUnstarted: 5_000,
  overtakenTimeoutMs: 120_000,
};

/** A renderer process that has started no render for this time is not counted. */
const rendererTimeoutMs = 60_000;
/** How many messages wait on the bus for each permit, so that no worker waits for the relay. */
const unstartedPerPermit = 2;
/** How often the relay checks for tasks to publish when no event comes. */
const checkIntervalMs = 1_000;
/** SQLite reads the traces of tasks synchronously, so other work gets its turn after this number of tasks. */
const publishedPerTurn = 100;
/** A published task without activity for this time is published again. */
const stalledAfterMs = 20_000;

/** Counts renderer processes by the renders that they start. The limits for renders depend on this number. */
const openRenderSchedulerLimits = (clock: () => number) => {
  const lastStartOf = new Map<string, number>();
  return {
    recordStart: (event: RecordedEvent): void => {
      if (event.type !== 'RenderStarted') return;
      const now = clock();
      lastStartOf.set(event.data.worker, now);
      for (const [worker, at] of lastStartOf) if (now - at > rendererTimeoutMs) lastStartOf.delete(worker);
    },
    limits: ({ maxQuick, maxTotal }: RenderConcurrency): SchedulerLimits => {
      const processes = Math.max(1, lastStartOf.size);
      return {
        maxOutstandingPerAccount: maxQuick * processes,
        maxOutstanding: maxTotal * processes,
        maxUnstarted: unstartedPerPermit * maxQuick * processes,
      };
    },
  };
};

/** For tasks from the read models: the trace of the last event of the task's stream, or of its render. */
const findTraceparent = async (store: EventStore, { key }: RelayTask): Promise<string | null> => {
  const lastEvent = async (stream: string): Promise<RecordedEvent | undefined> =>
    (await readStream(store, stream)).at(-1);
  const last = (await lastEvent(key)) ?? (await lastEvent(streams.render(idOfStream(key))));
  return last?.metadata.traceparent ?? null;
};

/** The request of the document that an event asks to render once more. */
const findRequest = async (store: EventStore, event: RecordedEvent): Promise<RequestedRender | undefined> => {
  const [first] = await store.read(event.stream, undefined, 1);
  return first?.type === 'RenderRequested' ? first.data : undefined;
};

/**
 * Publishes tasks from the event log to the bus until `signal` aborts. It publishes a few at a time, so that the
 * schedulers decide the order as late as possible. It finds open tasks in the read models and in the events after their
 * checkpoint, and publishes nothing before it has read the whole log. A second relay or a lost message does no harm,
 * because the message id depends on the task alone. `clock` returns milliseconds.
 */
export const runRelay = async (
  dependencies: RelayDependencies,
  signal: AbortSignal,
  clock = (): number => performance.now(),
): Promise<void> => {
  const { store, bus, reads, concurrency } = dependencies;
  const renderLimits = openRenderSchedulerLimits(clock);
  const schedulers: Schedulers = {
    renders: createScheduler(() => renderLimits.limits(concurrency.renders)),
    officeRenders: createScheduler(() => renderLimits.limits(concurrency.officeRenders)),
    deliveries: createScheduler(() => deliverySchedulerLimits),
  };
  const from = await addOpenTasks(schedulers, reads);
  const head = await store.head();
  let isCaughtUp = from >= head;
  let lastStalledCheckAt = clock();

  /** The tasks whose messages the bus has not stored yet. */
  const publishing = new Set<RelayTask>();
  const publish = async (task: RelayTask): Promise<void> => {
    publishing.add(task);
    if (task.traceparent === undefined) task.traceparent = await findTraceparent(store, task);
    await publishWithTrace(bus, task.message, task.traceparent);
    publishing.delete(task);
  };
  const publishFrom = async (scheduler: Scheduler<RelayTask>): Promise<void> => {
    let published: Promise<void>[] = [];
    for (let task = scheduler.take(clock()); task; task = scheduler.take(clock())) {
      published.push(publish(task));
      if (published.length < publishedPerTurn) continue;
      // Not without waiting for them: one that fails meanwhile would end the process.
      await Promise.all([...published, nextTurn()]);
      published = [];
    }
    await Promise.all(published);
  };
  const publishAllowed = async (): Promise<void> => {
    if (isCaughtUp) await Promise.all(Object.values(schedulers).map(publishFrom));
  };
  const republishStalled = async (): Promise<void> => {
    const published: Promise<void>[] = [];
    for (const scheduler of Object.values(schedulers)) {
      for (const task of scheduler.takeStalled(clock(), stalledAfterMs)) {
        if (publishing.has(task)) continue;
        // A task without a start event may also end without an event.
        if (task.hasStartEvent) published.push(publish(task));
        else scheduler.end(task.key);
      }
    }
    await Promise.all(published);
  };

  const finished = new AbortController();
  const stopped = AbortSignal.any([signal, finished.signal]);
  let isChecking = false;
  // One check at a time, because a publication can take long.
  const check = async (): Promise<void> => {
    if (isChecking) return;
    isChecking = true;
    await publishAllowed();
    if (clock() - lastStalledCheckAt >= stalledAfterMs / 2) {
      lastStalledCheckAt = clock();
      await republishStalled();
    }
    isChecking = false;
  };
  const checkFailure = Promise.withResolvers<never>();
  const timer = setInterval(() => void check().catch(checkFailure.reject), checkIntervalMs);

  const follow = async (): Promise<void> => {
    await publishAllowed();
    for await (const batch of observeSubscription('relay', store, from, stopped)) {
      for (const event of batch) {
        // A process that started a render earlier may be gone. If not, it soon starts another.
        if (isCaughtUp) renderLimits.recordStart(event);
        const request = isRenderAgainRequest(event) ? await findRequest(store, event) : undefined;
        applyEvent(schedulers, event, isCaughtUp ? clock() : null, request);
      }
      isCaughtUp ||= batch.at(-1)!.position >= head;
      await publishAllowed();
    }
  };
  try {
    // After an abort it does not wait for an unavailable bus: the next relay publishes the same tasks.
    await runUntilAborted(signal, () => Promise.race([follow(), checkFailure.promise]));
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    clearInterval(timer);
    finished.abort();
  }
};
