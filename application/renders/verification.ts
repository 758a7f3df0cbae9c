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

const isRequested = (event: RecordedEvent): boolean => event.type === 'VerificationRequested';
const isVerified = (event: RecordedEvent): event is VerifiedEvent => event.type === 'RenderVerified';

/** Whether a verification was requested in the last minute and has not ended. */
const isPending = (history: readonly RecordedEvent[], now: Date): boolean => {
  const last = history.findLast((event) => isRequested(event) || isVerified(event));
  return last !== undefined && isRequested(last) && isRecent(last.metadata.occurredAt, now, requestAgainAfterMs);
};

/**
 * Renders a completed render of an account again, in any renderer, and resolves to the comparison. Callers at the same
 * time share one verification. With `keepPdf` the new PDF is kept for at most an hour if it has the recorded bytes.
 * `id` is the bare id; `signal` ends the wait.
 * @throws ApiError pdf_not_available, render_input_lost, render_secrets_erased, verification_limit_exceeded,
 * service_unavailable, and the error of the second rendering
 */
export const verifyRender = async (
  { eventLog, inputs, estimator }: VerificationDependencies,
  id: string,
  { keepPdf, limits, cause, signal }: { keepPdf: boolean; limits: PlanLimits; cause: Cause; signal: AbortSignal },
): Promise<Verification> => {
  const stream = streams.render(id);
  const { history, aggregate } = await loadAggregate(eventLog, render, stream);
  const recorded = completedRenderOf(history);
  if (!recorded) throw notCompleted(aggregate.state.status);
  const { accountId, source } = recorded.requested;
  const endedBefore = history.filter(isVerified).length;
  if (!isPending(history, eventLog.now())) {
    const count = nextVerification(aggregate.state);
    if (count === null) throw tooManyVerifications();
    requireNoPageSecrets(source);
    await requireInputs(inputs, recorded.requested);
    await requireShortWait(estimator, { accountId, source, priority: 'urgent' }, limits.processingMs);
    await aggregate.execute({ type: 'requestVerification', count, keepPdf }, cause);
  }
  const found = await waitForEvent(
    eventLog,
    stream,
    (events) => {
      const verified = events.filter(isVerified)[endedBefore];
      return verified ? { verified, events } : null;
    },
    signal,
  );
  if (!found)
    throw ApiError.of(
      'service_unavailable',
      'The render was not verified in time. Try again, or read its history: a late result is recorded there.',
      { retry_after: 5 },
    );
  const { outcome } = found.verified.data;
  if (outcome.kind === 'failed') throw ApiError.from(outcome.error);
  const kept = keptPdfOf(found.events, eventLog.now());
  return { recorded, verified: found.verified, keptUntil: kept.kind === 'kept' ? kept.keptUntil : null };
};
