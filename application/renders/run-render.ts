import { createHash } from 'node:crypto';
import type { EventData } from '#contracts/events/all.ts';
import type { RenderEvent } from '#contracts/events/render.ts';
import { type Fault, Problem } from '#contracts/http/problem.ts';
import { idOfStream } from '#contracts/names.ts';
import type { Answers } from '#libs/answers/port.ts';
import { BlobMissing, type BlobStore } from '#libs/blob-store/port.ts';
import { hasWaitedAnHour } from '#libs/bus/delays.ts';
import type { WorkEnd } from '#libs/bus/work.ts';
import { BrowserGone } from '#libs/chromium/cdp/errors.ts';
import { DiskRefusal } from '#libs/disk/disk.ts';
import { maxAttempts, nextAttempt, render, type RenderCommand, type RenderState } from '#libs/domain/render.ts';
import { type Aggregate, type Cause, causedBy, load, loadRecent, type Log } from '#application/handling/handle.ts';
import { isUnrecordable } from '#application/handling/recordable.ts';
import { countsTowardQuota } from '#libs/projections/usage.ts';
import { laneOf, produce, type Produced, type Requested, withInputs, type RenderDependencies } from './produce.ts';
import { idsOf } from '#libs/telemetry/traceparent.ts';
import type { Report } from '#libs/telemetry/log.ts';
import { count } from '#libs/telemetry/metrics.ts';
import { attributesOf, countCompleted, countFailed, resultOf } from './telemetry.ts';
import type { Span } from '#libs/telemetry/tracing.ts';

export type RendererDependencies = RenderDependencies & {
  log: Log;
  answers: Answers;
  /** Names this process in the log. */
  worker: string;
  report: Report;
};

type Lane = Produced['lane'];
/** A PDF that was put into the blob store, and until when it is kept there. */
type Stored = EventData['PdfDiscarded'];
type Render = Aggregate<RenderState, RenderCommand, RenderEvent>;
/** How long the render waited for a worker, in milliseconds, and since when (by performance.now()) it has one. */
type Claimed = { queueMs: number; at: number };
type Task = { id: string; requested: Requested; requestedAt: Date; cause: Cause; render: Render; attempt: number; claimed: Claimed | null; span: Span | undefined; stored: Stored | null };

const rounded = (ms: number): number => Math.round(ms * 100) / 100;
/** How long the PDF of an asynchronous render can be fetched. */
const keptMs = 60 * 60 * 1000;
const done: WorkEnd = { kind: 'done' };

/** In milliseconds. A clock that was set back since must not make it negative. */
const sinceRequest = ({ now }: Log, { requestedAt }: Pick<Task, 'requestedAt'>): number => Math.max(0, now().getTime() - requestedAt.getTime());

/** From the request until now, in milliseconds: what passes in this process is measured by a clock that is never set. */
const totalOf = (log: Log, task: Task): number => (task.claimed ? task.claimed.queueMs + Math.round(performance.now() - task.claimed.at) : sinceRequest(log, task));

const inputOf = ({ source }: Requested) => (source.mode === 'CONVERT' ? source.inputType : ('template' as const));

const complete = async ({ blobs, log, answers }: RendererDependencies, task: Task, produced: Produced): Promise<void> => {
  const { pdf, pages, durations, lane, laneReason, engine, warnings } = produced;
  const reply = task.requested.reply.kind;
  const ref = reply !== 'wait' ? await blobs.put(pdf) : { sha256: createHash('sha256').update(pdf).digest('hex'), size: pdf.byteLength };
  const now = log.now().getTime();
  if (reply !== 'wait') task.stored = { pdf: ref, until: new Date(now + keptMs).toISOString() };
  const totalMs = totalOf(log, task);
  const data = {
    attempt: task.attempt, input: inputOf(task.requested), pdf: ref, reply, keptUntil: task.stored?.until ?? null, pages, lane, laneReason, engine, warnings: [...warnings],
    durations: {
      queueMs: task.claimed?.queueMs ?? 0,
      prepareMs: rounded(durations.prepareMs), waitMs: rounded(durations.waitMs), loadMs: rounded(durations.loadMs), printMs: rounded(durations.printMs),
      totalMs,
    },
  };
  const { events } = await task.render.execute({ type: 'complete', data }, task.cause);
  // Nothing to add: another worker had ended the render before, and has given the answer that the log holds.
  if (events.length === 0) return;
  if (reply === 'wait') answers.give(task.id, { status: 'DONE', pdf, pages, durationMs: totalMs });
  task.span?.note(resultOf(data));
  countCompleted(data);
};

const fail = async ({ log, answers, report }: RendererDependencies, task: Task, fault: Fault, lane: Lane | 'none'): Promise<void> => {
  const ownFault = fault.name === 'internal_error' || fault.name === 'service_unavailable';
  const counted = countsTowardQuota(task.requested);
  const reply = task.requested.reply.kind;
  const data = {
    attempt: task.attempt, fault, reply, totalMs: totalOf(log, task),
    givesBack: ownFault && counted ? task.requestedAt.toISOString().slice(0, 10) : null,
  };
  const { events } = await task.render.execute({ type: 'fail', data }, task.cause);
  const [failed] = events;
  if (failed?.type !== 'RenderFailed') return;
  // What the log holds, which may be cut.
  const recorded = failed.data.fault;
  if (reply === 'wait') answers.give(task.id, { status: 'FAILED', fault: recorded });
  task.span?.fail(Problem.from(recorded));
  countFailed(data, inputOf(task.requested), lane);
  if (fault.name === 'internal_error') report({ render: task.id, attempt: task.attempt, ...idsOf(task.cause), error: fault.message }, 'a render has failed, and not by its document', 'error');
};

const brokeEveryAttempt: Fault = {
  name: 'conversion_failed',
  message: `The document ended the browser at each of ${maxAttempts} attempts.`,
  extra: { details: 'It probably needs more memory than the service gives to one document.' },
};
/** The cause is unknown: the workers that had claimed the render are gone, and the document may have had no part in it. */
const lostEveryAttempt: Fault = { name: 'internal_error', message: `The service ended before the document was done, at each of ${maxAttempts} attempts.`, extra: {} };
const failedEveryAttempt: Fault = { name: 'internal_error', message: 'The service failed to render the document.', extra: {} };
const lostInput: Fault = { name: 'internal_error', message: 'The service has lost what the document was to be made from.', extra: {} };

const notRecorded: Fault = { name: 'internal_error', message: 'The service made the document but could not record it.', extra: {} };

const lastFault = (error: unknown): Fault => {
  if (isUnrecordable(error)) return notRecorded;
  return error instanceof BrowserGone ? brokeEveryAttempt : failedEveryAttempt;
};

/** Hands a stored PDF that its render does not name to the sweeper, which knows whether another render names the same bytes. */
const discardUnnamed = async ({ stored, render: aggregate, cause }: Task): Promise<void> => {
  if (stored && aggregate.state.status === 'FAILED') await aggregate.execute({ type: 'discardPdf', data: stored }, cause);
};

/** The same dependencies, which note the lane that the printer is asked for: a failure names none. */
const noticingLane = ({ preparation, printer }: RenderDependencies, blobs: BlobStore) => {
  const seen: { lane: Lane | 'none' } = { lane: 'none' };
  const print: RenderDependencies['printer']['print'] = (request) => {
    seen.lane = laneOf(request.classification);
    return printer.print(request);
  };
  return Object.assign(seen, { dependencies: { blobs, preparation, printer: { ...printer, print } } });
};

/** Null where the blob store has lacked it for an hour: until then no document pays for that with an attempt. @throws BlobMissing, and what else keeps blobs from being read */
const inputsOf = async ({ blobs }: RendererDependencies, { requested }: Pick<Task, 'requested'>, delivery: number): Promise<BlobStore | null> => {
  try {
    return await withInputs(blobs, requested);
  } catch (error) {
    if (error instanceof BlobMissing && hasWaitedAnHour(delivery)) return null;
    throw error;
  }
};

const busyDelayMs = 5_000;

/** A caller who waits gets the error at once; an asynchronous render has its other attempts. */
const isTooBusyForNow = ({ name }: Fault, { requested, attempt }: Task): boolean =>
  name === 'service_unavailable' && requested.reply.kind !== 'wait' && attempt < maxAttempts;

const makeAttempt = async (dependencies: RendererDependencies, task: Task, inputs: BlobStore): Promise<WorkEnd> => {
  const seen = noticingLane(dependencies, inputs);
  try {
    // Documents that lose their browser together come back together: whichever of them is to blame must not take the last attempt of the others.
    const alone = task.attempt === maxAttempts;
    await complete(dependencies, task, await produce(seen.dependencies, task.requested, task.requestedAt, alone));
    return done;
  } catch (error) {
    if (error instanceof Problem && isTooBusyForNow(error.fault, task)) return { kind: 'again', delayMs: busyDelayMs };
    if (error instanceof Problem) {
      await fail(dependencies, task, error.fault, seen.lane);
      return done;
    }
    if (error instanceof DiskRefusal) throw error;
    task.span?.fail(error);
    count('colophon.render.attempts.failed', 1, {});
    dependencies.report({ render: task.id, attempt: task.attempt, ...idsOf(task.cause), error: String(error) }, 'an attempt to render failed');
    if (task.attempt < maxAttempts && !isUnrecordable(error)) return { kind: 'again', delayMs: 100 * task.attempt };
    await fail(dependencies, task, lastFault(error), seen.lane);
    return done;
  }
};

/**
 * Does the work of one message: claims the render, makes the PDF, appends the outcome. A second call does nothing. `delivery` counts how often the message was delivered: the first time
 * the events that this process has received are enough, since the claim is refused where there are more. The message comes again then, and the whole history is read.
 * @throws where what it is made from cannot be read: nothing has been claimed then, and the message is to come again
 */
export const runRender = async (dependencies: RendererDependencies, stream: string, delivery: number, span?: Span): Promise<WorkEnd> => {
  const { history, aggregate, isWhole } = await (delivery === 1 ? loadRecent : load)(dependencies.log, render, stream);
  const request = history[0];
  if (!request || request.type !== 'RenderRequested') return done;
  const { state } = aggregate;
  const task: Task = {
    id: idOfStream(stream),
    requested: request.data,
    requestedAt: new Date(request.metadata.occurredAt),
    cause: causedBy(request, 'renderer'),
    render: aggregate,
    attempt: nextAttempt(state) ?? maxAttempts,
    span,
    claimed: null,
    stored: null,
  };
  span?.note(attributesOf(task.id, task.attempt, task.requested));
  if (nextAttempt(state) === null) {
    if (state.status === 'PROCESSING') await fail(dependencies, task, lostEveryAttempt, 'none');
    return done;
  }
  const inputs = await inputsOf(dependencies, task, delivery);
  const [queueMs, at] = [sinceRequest(dependencies.log, task), performance.now()];
  const claim = await aggregate.execute({ type: 'claim', attempt: task.attempt, worker: dependencies.worker, queueMs }, task.cause);
  if (claim.events.length === 0) return isWhole ? done : { kind: 'again', delayMs: 0 };
  const claimed: Task = { ...task, claimed: { queueMs, at } };
  if (inputs === null) {
    await fail(dependencies, claimed, lostInput, 'none');
    return done;
  }
  const end = await makeAttempt(dependencies, claimed, inputs);
  await discardUnnamed(claimed);
  return end;
};
