import { hash } from 'node:crypto';
import type { EventData } from '#contracts/events/event-schemas.ts';
import { renderModeReasonText } from '#contracts/events/render.ts';
import { renderWarnings } from '#contracts/events/render-warnings.ts';
import type { Diagnosis } from '#contracts/http/diagnostics.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { idOfStream } from '#contracts/names.ts';
import type { BlobRef } from '#contracts/events/blob-ref.ts';
import { BlobNotFound, type BlobStore } from '#libs/blob-store/port.ts';
import { hasWaitedAnHour } from '#libs/bus/redelivery-delays.ts';
import type { MessageResult } from '#libs/bus/consume-messages.ts';
import { addDiagnostics } from '#libs/chromium/document/add-diagnostics.ts';
import { emptyPrintDiagnostics } from '#libs/chromium/print-request.ts';
import { renderModeOf } from '#libs/chromium/render-mode.ts';
import { BrowserGone } from '#libs/chromium/cdp/errors.ts';
import type { PreparedDocument } from '#libs/documents/prepared-document.ts';
import { maxAttempts, render } from '#libs/domain/render.ts';
import { causedBy, loadAggregate } from '#application/command-handling/aggregate.ts';
import { failedResourcesOf } from './diagnostics.ts';
import { pageClassification } from '#libs/documents/html/classify.ts';
import { maskPage } from './mask-page.ts';
import { noPageSecrets } from './page-secrets.ts';
import { readComposition, type RenderRequestedData } from './load-inputs.ts';
import { resolveOptions, type RenderPdfDependencies } from './render-pdf.ts';
import { renderRequested } from './render-requested.ts';
import { requestLogFields } from '#libs/telemetry/traceparent.ts';
import { renderAttributes } from './telemetry.ts';
import type { Span } from '#libs/telemetry/tracing.ts';
import type { RunRenderDependencies } from './end-render.ts';

/** The dependencies, collecting findings, which are complete up to a failure. */
const recordFindings = ({ blobs, preparation, printer, secrets, office }: RenderPdfDependencies) => {
  const findings = emptyPrintDiagnostics();
  let prepared: PreparedDocument | null = null;
  // Each part of a composed document is printed by itself.
  const print: RenderPdfDependencies['printer']['print'] = async (request) => {
    const ofPart = emptyPrintDiagnostics();
    try {
      return await printer.print({ diagnostics: ofPart, ...request });
    } finally {
      addDiagnostics(findings, ofPart);
    }
  };
  const keep = async (preparing: Promise<PreparedDocument>): Promise<PreparedDocument> => (prepared = await preparing);
  const observed: RenderPdfDependencies = {
    blobs,
    secrets,
    preparation: {
      ...preparation,
      prepare: (input, options) => keep(preparation.prepare(input, options)),
      prepareTemplate: (input, options) => keep(preparation.prepareTemplate(input, options)),
    },
    office,
    printer: { ...printer, print },
  };
  return { observed, findings, prepared: () => prepared };
};

type RenderEnd = { completed: EventData['RenderCompleted'] | undefined; failed: EventData['RenderFailed'] | undefined };

/** Whether the document may have crashed a browser. Such a document is diagnosed in an isolated browser. */
const mayHaveCrashedBrowser = ({ completed, failed }: RenderEnd): boolean =>
  completed
    ? completed.attempt === maxAttempts
    : failed?.error.name === 'conversion_failed' || failed?.error.name === 'internal_error';

/** The URLs of the pages that a render loads: that of its source, or those of its parts. */
const pageInputsOf = async (blobs: BlobStore, { source }: RenderRequestedData): Promise<BlobRef[]> => {
  const sources =
    source.mode === 'COMPOSE' ? (await readComposition(blobs, source)).parts.map((part) => part.source) : [source];
  return sources.flatMap((one) => (one.mode === 'CONVERT' && one.inputType === 'url' ? [one.input] : []));
};

/** Masks the URLs of pages in the messages of their scripts. Headers and cookies are erased and not sent again. */
const maskOfPages = async (blobs: BlobStore, inputs: readonly BlobRef[]): Promise<(text: string) => string> => {
  const masks: ((text: string) => string)[] = [];
  for (const { sha256 } of inputs) {
    const url = Buffer.from(await blobs.get(sha256)).toString('utf8');
    masks.push(maskPage({ url, ...noPageSecrets }).text);
  }
  return (text) => masks.reduce((masked, mask) => mask(masked), text);
};

const diagnose = async (
  dependencies: RunRenderDependencies,
  requested: RenderRequestedData,
  requestedAt: Date,
  end: RenderEnd,
  failed: (error: unknown) => 'final' | 'retry',
): Promise<Diagnosis> => {
  const { observed, findings, prepared } = recordFindings(dependencies);
  const result = await renderRequested(observed, requested, requestedAt, {
    isolated: mayHaveCrashedBrowser(end),
  }).catch((error: unknown) => {
    if (failed(error) === 'retry') throw error;
    return { error: error instanceof ApiError ? error.fields.name : 'internal_error' };
  });
  const { source } = requested;
  const isPage = source.mode === 'CONVERT' && source.inputType === 'url';
  const document = isPage ? { classification: pageClassification } : prepared();
  const rendered = 'pdf' in result ? result : null;
  const pages = findings.console.length === 0 ? [] : await pageInputsOf(dependencies.blobs, requested);
  const mask = await maskOfPages(dependencies.blobs, pages);
  return {
    render_mode: rendered
      ? rendered.renderMode
      : document
        ? renderModeOf({
            classification: document.classification,
            options: resolveOptions(requested.options, prepared()?.options),
          })
        : null,
    render_mode_reason: renderModeReasonText
      .nullable()
      .parse(rendered?.renderModeReason ?? document?.classification.reason ?? null),
    console: findings.console.map(({ level, text }) => ({ level, text: mask(text) })),
    omitted_messages: findings.omittedMessages,
    failed_resources: rendered && failedResourcesOf(renderWarnings.parse(rendered.warnings)),
    fonts: findings.fonts,
    same_bytes: rendered && end.completed ? hash('sha256', rendered.pdf, 'hex') === end.completed.pdf.sha256 : null,
    ...(rendered?.page ? { page: rendered.page } : {}),
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
