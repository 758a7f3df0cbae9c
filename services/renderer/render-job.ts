import { createHash } from 'node:crypto';
import type { EventData } from '#contracts/events/all.ts';
import type { RenderEvent } from '#contracts/events/render.ts';
import { type Fault, Problem } from '#contracts/http/problem.ts';
import { idOfStream } from '#contracts/names.ts';
import type { Answers } from '#libs/answers/port.ts';
import { BlobMissing, type BlobStore } from '#libs/blob-store/port.ts';
import { hasWaitedAnHour } from '#libs/bus/delays.ts';
import type { WorkEnd } from '#libs/bus/work.ts';
import { BrowserGone } from '#libs/chromium/devtools/gone.ts';
import { DiskRefusal } from '#libs/disk/refusal.ts';
import { maxAttempts, nextAttempt, render, type RenderCommand, type RenderState } from '#libs/domain/render.ts';
import { type Aggregate, type Cause, causedBy, load, loadHeard, type Log } from '#application/handling/handle.ts';
import { isUnrecordable } from '#application/handling/recordable.ts';
import { countsTowardQuota } from '#libs/projections/usage.ts';
import { laneOf, produce, type Produced, type Requested, withInputs, type Workshop } from '#application/renders/produce.ts';
import { idsOf } from '#libs/telemetry/traceparent.ts';
import type { Report } from '#libs/telemetry/log.ts';
import { count } from '#libs/telemetry/metrics.ts';
import { attributesOf, countCompleted, countFailed, resultOf } from '#application/renders/telemetry.ts';
import type { Span } from '#libs/telemetry/tracing.ts';

export type RendererParts = Workshop & {
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
type Job = { id: string; requested: Requested; requestedAt: Date; cause: Cause; render: Render; attempt: number; claimed: Claimed | null; span: Span | undefined; stored: Stored | null };

const rounded = (ms: number): number => Math.round(ms * 100) / 100;
/** How long a PDF that nobody waited for can be fetched. */
const keptMs = 60 * 60 * 1000;
const done: WorkEnd = { kind: 'done' };

/** In milliseconds. A clock that was set back since must not make it negative. */
const sinceRequest = ({ now }: Log, { requestedAt }: Pick<Job, 'requestedAt'>): number => Math.max(0, now().getTime() - requestedAt.getTime());

/** From the request until now, in milliseconds: what passes in this process is measured by a clock that is never set. */
const totalOf = (log: Log, job: Job): number => (job.claimed ? job.claimed.queueMs + Math.round(performance.now() - job.claimed.at) : sinceRequest(log, job));

const inputOf = ({ source }: Requested) => (source.mode === 'CONVERT' ? source.inputType : ('template' as const));

const complete = async ({ blobs, log, answers }: RendererParts, job: Job, produced: Produced): Promise<void> => {
  const { pdf, pages, durations, lane, laneReason, engine, warnings } = produced;
  const reply = job.requested.reply.kind;
  const ref = reply !== 'wait' ? await blobs.put(pdf) : { sha256: createHash('sha256').update(pdf).digest('hex'), size: pdf.byteLength };
  const now = log.now().getTime();
  if (reply !== 'wait') job.stored = { pdf: ref, until: new Date(now + keptMs).toISOString() };
  const totalMs = totalOf(log, job);
  const data = {
    attempt: job.attempt, input: inputOf(job.requested), pdf: ref, reply, keptUntil: job.stored?.until ?? null, pages, lane, laneReason, engine, warnings: [...warnings],
    durations: {
      queueMs: job.claimed?.queueMs ?? 0,
      prepareMs: rounded(durations.prepareMs), waitMs: rounded(durations.waitMs), loadMs: rounded(durations.loadMs), printMs: rounded(durations.printMs),
      totalMs,
    },
  };
  const { events } = await job.render.execute({ type: 'complete', data }, job.cause);
  // Nothing to add: another worker had ended the render before, and has given the answer that the log holds.
  if (events.length === 0) return;
  if (reply === 'wait') answers.give(job.id, { status: 'DONE', pdf, pages, durationMs: totalMs });
  job.span?.note(resultOf(data));
  countCompleted(data);
};

const fail = async ({ log, answers, report }: RendererParts, job: Job, fault: Fault, lane: Lane | 'none'): Promise<void> => {
  const ownFault = fault.name === 'internal_error' || fault.name === 'service_unavailable';
  const counted = countsTowardQuota(job.requested);
  const reply = job.requested.reply.kind;
  const data = {
    attempt: job.attempt, fault, reply, totalMs: totalOf(log, job),
    givesBack: ownFault && counted ? job.requestedAt.toISOString().slice(0, 10) : null,
  };
  const { events } = await job.render.execute({ type: 'fail', data }, job.cause);
  const [failed] = events;
  if (failed?.type !== 'RenderFailed') return;
  // What the log holds, which may be cut.
  const recorded = failed.data.fault;
  if (reply === 'wait') answers.give(job.id, { status: 'FAILED', fault: recorded });
  job.span?.fail(Problem.from(recorded));
  countFailed(data, inputOf(job.requested), lane);
  if (fault.name === 'internal_error') report({ render: job.id, attempt: job.attempt, ...idsOf(job.cause), error: fault.message }, 'a render has failed, and not by its document', 'error');
};

const brokeEveryAttempt: Fault = {
  name: 'conversion_failed',
  message: `The document ended the browser at each of ${maxAttempts} attempts.`,
  extra: { details: 'It probably needs more memory than the service gives to one document.' },
};
/** Nobody knows why: the workers that had claimed it are gone, and it is not said that the document had a part in it. */
const lostEveryAttempt: Fault = { name: 'internal_error', message: `The service ended before the document was done, at each of ${maxAttempts} attempts.`, extra: {} };
const failedEveryAttempt: Fault = { name: 'internal_error', message: 'The service failed to render the document.', extra: {} };
const lostInput: Fault = { name: 'internal_error', message: 'The service has lost what the document was to be made from.', extra: {} };

const notRecorded: Fault = { name: 'internal_error', message: 'The service made the document but could not record it.', extra: {} };

const lastFault = (error: unknown): Fault => {
  if (isUnrecordable(error)) return notRecorded;
  return error instanceof BrowserGone ? brokeEveryAttempt : failedEveryAttempt;
};

/** Hands a stored PDF that its render does not name to the sweeper, which knows whether another render names the same bytes. */
const discardUnnamed = async ({ stored, render: aggregate, cause }: Job): Promise<void> => {
  if (stored && aggregate.state.status === 'FAILED') await aggregate.execute({ type: 'discardPdf', data: stored }, cause);
};

/** The same workshop, which notices the lane that the printer is asked for: a failure tells of none. */
const noticingLane = ({ preparation, printer }: Workshop, blobs: BlobStore) => {
  const seen: { lane: Lane | 'none' } = { lane: 'none' };
  const print: Workshop['printer']['print'] = (request) => {
    seen.lane = laneOf(request.classification);
    return printer.print(request);
  };
  return Object.assign(seen, { workshop: { blobs, preparation, printer: { ...printer, print } } });
};

/** Null where the blob store has lacked it for an hour: until then no document pays for that with an attempt. @throws BlobMissing, and what else keeps blobs from being read */
const inputsOf = async ({ blobs }: RendererParts, { requested }: Pick<Job, 'requested'>, delivery: number): Promise<BlobStore | null> => {
  try {
    return await withInputs(blobs, requested);
  } catch (error) {
    if (error instanceof BlobMissing && hasWaitedAnHour(delivery)) return null;
    throw error;
  }
};

const busyDelayMs = 5_000;

/** A caller who waits is told at once; a render that was accepted for later has its other attempts. */
const isTooBusyForNow = ({ name }: Fault, { requested, attempt }: Job): boolean =>
  name === 'service_unavailable' && requested.reply.kind !== 'wait' && attempt < maxAttempts;

const makeAttempt = async (parts: RendererParts, job: Job, inputs: BlobStore): Promise<WorkEnd> => {
  const seen = noticingLane(parts, inputs);
  try {
    // Documents that lose their browser together come back together: whichever of them is to blame must not take the last attempt of the others.
    const alone = job.attempt === maxAttempts;
    await complete(parts, job, await produce(seen.workshop, job.requested, job.requestedAt, alone));
    return done;
  } catch (error) {
    if (error instanceof Problem && isTooBusyForNow(error.fault, job)) return { kind: 'again', delayMs: busyDelayMs };
    if (error instanceof Problem) {
      await fail(parts, job, error.fault, seen.lane);
      return done;
    }
    if (error instanceof DiskRefusal) throw error;
    job.span?.fail(error);
    count('colophon.render.attempts.failed', 1, {});
    parts.report({ render: job.id, attempt: job.attempt, ...idsOf(job.cause), error: String(error) }, 'an attempt to render failed');
    if (job.attempt < maxAttempts && !isUnrecordable(error)) return { kind: 'again', delayMs: 100 * job.attempt };
    await fail(parts, job, lastFault(error), seen.lane);
    return done;
  }
};

/**
 * Does one message's work: claims the render, makes the PDF, says in the log what became of it. Asked twice, it does nothing. `delivery` counts how often the message was given out:
 * the first time what this process has heard of the render will do, since its claim is refused where there is more. The message comes again then, and its story is read.
 * @throws where what it is made from cannot be read: nothing has been claimed then, and the message is to come again
 */
export const runJob = async (parts: RendererParts, stream: string, delivery: number, span?: Span): Promise<WorkEnd> => {
  const { history, aggregate, isWhole } = await (delivery === 1 ? loadHeard : load)(parts.log, render, stream);
  const request = history[0];
  if (!request || request.type !== 'RenderRequested') return done;
  const { state } = aggregate;
  const job: Job = {
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
  span?.note(attributesOf(job.id, job.attempt, job.requested));
  if (nextAttempt(state) === null) {
    if (state.status === 'PROCESSING') await fail(parts, job, lostEveryAttempt, 'none');
    return done;
  }
  const inputs = await inputsOf(parts, job, delivery);
  const [queueMs, at] = [sinceRequest(parts.log, job), performance.now()];
  const claim = await aggregate.execute({ type: 'claim', attempt: job.attempt, worker: parts.worker, queueMs }, job.cause);
  if (claim.events.length === 0) return isWhole ? done : { kind: 'again', delayMs: 0 };
  const claimed: Job = { ...job, claimed: { queueMs, at } };
  if (inputs === null) {
    await fail(parts, claimed, lostInput, 'none');
    return done;
  }
  const end = await makeAttempt(parts, claimed, inputs);
  await discardUnnamed(claimed);
  return end;
};
