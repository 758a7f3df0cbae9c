import { ApiError } from '#contracts/http/api-error.ts';
import type { PlanLimits } from '#contracts/plans.ts';
import { streams } from '#contracts/names.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import { maxVerifications, nextVerification, render } from '#libs/domain/render.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { isRecent } from '#libs/time/is-recent.ts';
import { type Cause, loadAggregate, type EventLog } from '#application/command-handling/aggregate.ts';
import { type Estimator, requireShortWait } from './estimate.ts';
import { keptPdfOf } from './kept-pdf.ts';
import { requireNoPageSecrets } from './page-secrets.ts';
import { completedRenderOf, type CompletedRender } from './completed-render.ts';
import { requireInputs } from './repeat-render.ts';
import { requestAgainAfterMs, waitForEvent } from './wait-for-event.ts';

export type VerificationDependencies = { eventLog: EventLog; inputs: BlobStore; estimator: Estimator };

type RequestedEvent = RecordedEvent & { type: 'VerificationRequested' };
type VerifiedEvent = RecordedEvent & { type: 'RenderVerified' };

/** The end of a verification, with the recorded render. `keptUntil` is set while the PDF can be fetched. */
export type Verification = { recorded: CompletedRender; verified: VerifiedEvent; keptUntil: string | null };

const tooManyVerifications = (): ApiError =>
  ApiError.of(
    'verification_limit_exceeded',
    `The render was verified ${maxVerifications} times, the maximum. Its history has the results.`,
    { limit: maxVerifications },
  );

const notCompleted = (status: string): ApiError =>
  ApiError.of(
    'pdf_not_available',
    status === 'FAILED'
      ? 'The render has failed, so there is no PDF to compare.'
      : 'The render has not ended yet. Verify it when its status is DONE.',
    { render_status: status },
  );

const isRequested = (event: RecordedEvent): event is RequestedEvent => event.type === 'VerificationRequested';
const isVerified = (event: RecordedEvent): event is VerifiedEvent => event.type === 'RenderVerified';

/** The verification that was requested in the last minute and has not ended; null if there is none. */
const pendingVerification = (history: readonly RecordedEvent[], now: Date): RequestedEvent | null => {
  const last = history.findLast((event) => isRequested(event) || isVerified(event));
  const isPending = last && isRequested(last) && isRecent(last.metadata.occurredAt, now, requestAgainAfterMs);
  return isPending ? last : null;
};

/** Waits for the verification after the first `endedBefore`. @throws ApiError service_unavailable */
const waitForVerification = async (
  eventLog: EventLog,
  stream: string,
  endedBefore: number,
  signal: AbortSignal,
): Promise<{ verified: VerifiedEvent; events: readonly RecordedEvent[] }> => {
  const found = await waitForEvent(
    eventLog,
    stream,
    (events) => {
      const verified = events.filter(isVerified)[endedBefore];
      return verified ? { verified, events } : null;
    },
    signal,
  );
  if (found) return found;
  throw ApiError.of(
    'service_unavailable',
    'The render was not verified in time. Try again, or read its history: a late result is recorded there.',
    { retry_after: 5 },
  );
};

/**
 * Renders a completed render of an account again, in any renderer, and resolves to the comparison. Callers at the same
 * time share one verification, unless only a later one asks to keep the PDF. With `keepPdf` the new PDF is kept for at
 * most an hour if it has the recorded bytes. `id` is the bare id; `signal` ends the wait.
 * @throws ApiError pdf_not_available, render_input_lost, render_secrets_erased, verification_limit_exceeded,
 * service_unavailable, and the error of the second rendering
 */
export const verifyRender = async (
  dependencies: VerificationDependencies,
  id: string,
  request: { keepPdf: boolean; limits: PlanLimits; cause: Cause; signal: AbortSignal },
): Promise<Verification> => {
  const { eventLog, inputs, estimator } = dependencies;
  const { keepPdf, limits, cause, signal } = request;
  const stream = streams.render(id);
  const { history, aggregate } = await loadAggregate(eventLog, render, stream);
  const recorded = completedRenderOf(history);
  if (!recorded) throw notCompleted(aggregate.state.status);
  const { accountId, source } = recorded.requested;
  const endedBefore = history.filter(isVerified).length;
  const pending = pendingVerification(history, eventLog.now());
  if (pending && keepPdf && !pending.data.keepPdf) {
    await waitForVerification(eventLog, stream, endedBefore, signal);
    return verifyRender(dependencies, id, request);
  }
  if (!pending) {
    const count = nextVerification(aggregate.state);
    if (count === null) throw tooManyVerifications();
    requireNoPageSecrets(source);
    await requireInputs(inputs, recorded.requested);
    await requireShortWait(estimator, { accountId, source, priority: 'urgent' }, limits.processingMs);
    const { events } = await aggregate.execute({ type: 'requestVerification', count, keepPdf }, cause);
    // Another caller was faster.
    if (events.length === 0) return verifyRender(dependencies, id, request);
  }
  const { verified, events } = await waitForVerification(eventLog, stream, endedBefore, signal);
  const { outcome } = verified.data;
  if (outcome.kind === 'failed') throw ApiError.from(outcome.error);
  const kept = keptPdfOf(events, eventLog.now());
  return { recorded, verified, keptUntil: kept.kind === 'kept' ? kept.keptUntil : null };
};
