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
import type { RunRenderDependencies } from './end-render.ts';

type CompletedData = EventData['RenderCompleted'];

/** The dependencies, collecting findings, which are complete up to a failure. */
const recordFindings = ({ blobs, preparation, printer }: RenderPdfDependencies) => {
  const findings = emptyPrintDiagnostics();
  let prepared: PreparedDocument | null = null;
  const keep = async (preparing: Promise<PreparedDocument>): Promise<PreparedDocument> => (prepared = await preparing);
  const observed: RenderPdfDependencies = {
    blobs,
    preparation: {
      ...preparation,
      prepare: (input, options) => keep(preparation.prepare(input, options)),
      prepareTemplate: (input, options) => keep(preparation.prepareTemplate(input, options)),
    },
    printer: { ...printer, print: (request) => printer.print({ ...request, diagnostics: findings }) },
  };
  return { observed, findings, prepared: () => prepared };
};

type FailedData = EventData['RenderFailed'];
type RenderEnd = { completed: CompletedData | undefined; failed: FailedData | undefined };

/** Whether the document may have crashed a browser. Such a document is diagnosed in an isolated browser. */
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
  const classification = prepared()?.classification;
  const rendered = 'pdf' in result ? result : null;
  return {
    render_mode: classification ? renderModeOf({ classification, options: requested.options }) : null,
    render_mode_reason: renderModeReasonText.nullable().parse(classification?.reason ?? null),
    console: findings.console,
    omitted_messages: findings.omittedMessages,
    failed_resources: rendered && renderWarnings.parse(rendered.warnings).map(({ url, reason }) => ({ url, reason })),
    fonts: findings.fonts,
    same_bytes:
      rendered && end.completed
        ? createHash('sha256').update(rendered.pdf).digest('hex') === end.completed.pdf.sha256
        : null,
    error: 'error' in result ? result.error : null,
  };
};

/** Renders an ended render again and appends the findings. Runs only if a caller requests diagnostics. */
export const diagnoseRender = async (
  dependencies: RunRenderDependencies,
  stream: string,
  attempt: number,
  span?: Span,
): Promise<MessageResult> => {
  const { history, aggregate } = await loadAggregate(dependencies.eventLog, render, stream);
  const diagnosisRequested = history.findLast(({ type }) => type === 'DiagnosisRequested');
  if (!diagnosisRequested || history.some(({ type }) => type === 'RenderDiagnosed')) return { kind: 'done' };
  const request = history.find((event) => event.type === 'RenderRequested')!;
  const end = {
    completed: history.find((event) => event.type === 'RenderCompleted')?.data,
    failed: history.find((event) => event.type === 'RenderFailed')?.data,
  };
  const [id, cause] = [idOfStream(stream), causedBy(diagnosisRequested, 'renderer')];
  span?.setAttributes(renderAttributes(id, attempt, request.data));
  const failed = (error: unknown): 'final' | 'retry' => {
    if ((error instanceof ApiError && error.fields.name !== 'service_unavailable') || error instanceof BrowserGone)
      return 'final';
    if (error instanceof BlobNotFound ? !hasWaitedAnHour(attempt) : attempt < maxAttempts) return 'retry';
    span?.setError(error);
    dependencies.report(
      { render: id, attempt, ...requestLogFields(cause), error: String(error) },
      'render diagnosis failed',
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
