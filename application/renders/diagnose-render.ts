import { createHash } from 'node:crypto';
import type { EventData } from '#contracts/events/event-schemas.ts';
import { renderModeReasonText, renderWarnings } from '#contracts/events/render.ts';
import type { Diagnosis } from '#contracts/http/diagnostics.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { idOfStream } from '#contracts/names.ts';
import { BlobNotFound } from '#libs/blob-store/port.ts';
import { hasWaitedAnHour } from '#libs/bus/redelivery-delays.ts';
import type { MessageResult } from '#libs/bus/consume-messages.ts';
import { emptyPrintDiagnostics } from '#libs/chromium/print-request.ts';
import { renderModeOf } from '#libs/chromium/render-mode.ts';
import { BrowserGone } from '#libs/chromium/cdp/errors.ts';
import type { PreparedDocument } from '#libs/documents/document-preparation.ts';
import { maxAttempts, render } from '#libs/domain/render.ts';
import { causedBy, loadAggregate } from '#application/command-handling/aggregate.ts';
import { renderPdf, type RenderRequestedData, type RenderPdfDependencies } from './render-pdf.ts';
import { requestLogFields } from '#libs/telemetry/traceparent.ts';
import { renderAttributes } from './telemetry.ts';
import type { Span } from '#libs/telemetry/tracing.ts';
import type { RunRenderDependencies } from './run-render.ts';

type CompletedData = EventData['RenderCompleted'];

/** Dependencies that do the same and keep what there is to see on the way, which is there even where it comes to no PDF. */
const recordFindings = ({ blobs, preparation, printer }: RenderPdfDependencies) => {
  const findings = emptyPrintDiagnostics();
  let prepared: PreparedDocument | null = null;
  const kept = async (making: Promise<PreparedDocument>): Promise<PreparedDocument> => (prepared = await making);
  const observed: RenderPdfDependencies = {
    blobs,
    preparation: {
      ...preparation,
      prepare: (input, terms) => kept(preparation.prepare(input, terms)),
      prepareTemplate: (input, terms) => kept(preparation.prepareTemplate(input, terms)),
    },
    printer: { ...printer, print: (request) => printer.print({ ...request, diagnostics: findings }) },
  };
  return { observed, findings, prepared: () => prepared };
};

type FailedData = EventData['RenderFailed'];
type RenderEnd = { completed: CompletedData | undefined; failed: FailedData | undefined };

/** Whether the document may have been what ended the browser at an attempt. Such a one is looked at where it takes no other along. */
const mayHaveCrashedBrowser = ({ completed, failed }: RenderEnd): boolean =>
  completed
    ? completed.attempt === maxAttempts
    : failed?.error.name === 'conversion_failed' || failed?.error.name === 'internal_error';

const errorNameOf = (error: unknown): string => (error instanceof ApiError ? error.fields.name : 'internal_error');

const diagnose = async (
  dependencies: RunRenderDependencies,
  requested: RenderRequestedData,
  requestedAt: Date,
  end: RenderEnd,
  failed: (error: unknown) => 'final' | 'retry',
): Promise<Diagnosis> => {
  const { observed, findings, prepared } = recordFindings(dependencies);
  const result = await renderPdf(observed, requested, requestedAt, mayHaveCrashedBrowser(end)).catch(
    (error: unknown) => {
      if (failed(error) === 'retry') throw error;
      return { error: errorNameOf(error) };
    },
  );
  const found = prepared()?.classification;
  const made = 'pdf' in result ? result : null;
  return {
    render_mode: found ? renderModeOf({ classification: found, options: requested.options }) : null,
    render_mode_reason: renderModeReasonText.nullable().parse(found?.reason ?? null),
    console: findings.console,
    omitted_messages: findings.omittedMessages,
    failed_resources: made && renderWarnings.parse(made.warnings).map(({ url, reason }) => ({ url, reason })),
    fonts: findings.fonts,
    same_bytes:
      made && end.completed ? createHash('sha256').update(made.pdf).digest('hex') === end.completed.pdf.sha256 : null,
    error: 'error' in result ? result.error : null,
  };
};

/**
 * Makes the PDF of a render that has ended once more and appends what was found. Only renders whose caller asks for a diagnosis pay for it.
 */
export const diagnoseRender = async (
  dependencies: RunRenderDependencies,
  stream: string,
  attempt: number,
  span?: Span,
): Promise<MessageResult> => {
  const { history, aggregate } = await loadAggregate(dependencies.eventLog, render, stream);
  const asked = history.findLast(({ type }) => type === 'DiagnosisRequested');
  if (!asked || history.some(({ type }) => type === 'RenderDiagnosed')) return { kind: 'done' };
  const request = history.find((event) => event.type === 'RenderRequested')!;
  const end = {
    completed: history.find((event) => event.type === 'RenderCompleted')?.data,
    failed: history.find((event) => event.type === 'RenderFailed')?.data,
  };
  const [id, cause] = [idOfStream(stream), causedBy(asked, 'renderer')];
  span?.setAttributes(renderAttributes(id, attempt, request.data));
  const failed = (error: unknown): 'final' | 'retry' => {
    if ((error instanceof ApiError && error.fields.name !== 'service_unavailable') || error instanceof BrowserGone)
      return 'final';
    if (error instanceof BlobNotFound ? !hasWaitedAnHour(attempt) : attempt < maxAttempts) return 'retry';
    span?.setError(error);
    dependencies.report(
      { render: id, attempt, ...requestLogFields(cause), error: String(error) },
      'a render could not be diagnosed',
      'error',
    );
    return 'final';
  };
  const diagnosis = await diagnose(dependencies, request.data, new Date(request.metadata.occurredAt), end, failed);
  await aggregate.execute(
    { type: 'diagnose', data: { diagnosis: await dependencies.blobs.put(Buffer.from(JSON.stringify(diagnosis))) } },
    cause,
  );
  return { kind: 'done' };
};
