import { createHash } from 'node:crypto';
import type { EventData } from '#contracts/events/all.ts';
import { laneReasonText, renderWarnings } from '#contracts/events/render.ts';
import type { Diagnosis } from '#contracts/http/diagnostics.ts';
import { Problem } from '#contracts/http/problem.ts';
import { idOfStream } from '#contracts/names.ts';
import { BlobMissing } from '#libs/blob-store/port.ts';
import { hasWaitedAnHour } from '#libs/bus/delays.ts';
import type { WorkEnd } from '#libs/bus/work.ts';
import { noFindings } from '#libs/chromium/request.ts';
import { BrowserGone } from '#libs/chromium/cdp/errors.ts';
import type { Prepared } from '#libs/documents/preparation.ts';
import { maxAttempts, render } from '#libs/domain/render.ts';
import { causedBy, load } from '#application/handling/handle.ts';
import { laneOf, produce, type Requested, type RenderDependencies } from './produce.ts';
import { idsOf } from '#libs/telemetry/traceparent.ts';
import { attributesOf } from './telemetry.ts';
import type { Span } from '#libs/telemetry/tracing.ts';
import type { RendererDependencies } from './run-render.ts';

type Completed = EventData['RenderCompleted'];

/** Dependencies that do the same and keep what there is to see on the way, which is there even where it comes to no PDF. */
const observing = ({ blobs, preparation, printer }: RenderDependencies) => {
  const findings = noFindings();
  let prepared: Prepared | null = null;
  const kept = async (making: Promise<Prepared>): Promise<Prepared> => (prepared = await making);
  const observed: RenderDependencies = {
    blobs,
    preparation: { ...preparation, prepare: (input, terms) => kept(preparation.prepare(input, terms)), prepareTemplate: (input, terms) => kept(preparation.prepareTemplate(input, terms)) },
    printer: { ...printer, print: (request) => printer.print({ ...request, findings }) },
  };
  return { observed, findings, prepared: () => prepared };
};

type Failed = EventData['RenderFailed'];
type End = { completed: Completed | undefined; failed: Failed | undefined };

/** Whether the document may have been what ended the browser at an attempt. Such a one is looked at where it takes no other along. */
const mayEndBrowsers = ({ completed, failed }: End): boolean => (completed ? completed.attempt === maxAttempts : failed?.fault.name === 'conversion_failed' || failed?.fault.name === 'internal_error');

const nameOf = (error: unknown): string => (error instanceof Problem ? error.fault.name : 'internal_error');

const diagnose = async (dependencies: RendererDependencies, requested: Requested, requestedAt: Date, end: End, failed: (error: unknown) => 'final' | 'again'): Promise<Diagnosis> => {
  const { observed, findings, prepared } = observing(dependencies);
  const result = await produce(observed, requested, requestedAt, mayEndBrowsers(end)).catch((error: unknown) => {
    if (failed(error) === 'again') throw error;
    return { error: nameOf(error) };
  });
  const found = prepared()?.classification;
  const made = 'pdf' in result ? result : null;
  return {
    lane: found ? laneOf(found) : null,
    lane_reason: laneReasonText.nullable().parse(found?.reason ?? null),
    console: findings.console,
    further_messages: findings.furtherMessages,
    failed_resources: made && renderWarnings.parse(made.warnings).map(({ url, reason }) => ({ url, reason })),
    fonts: findings.fonts,
    same_bytes: made && end.completed ? createHash('sha256').update(made.pdf).digest('hex') === end.completed.pdf.sha256 : null,
    error: 'error' in result ? result.error : null,
  };
};

/**
 * Makes the PDF of a render that has ended once more and appends what was found. Only renders whose caller asks for a diagnosis pay for it.
 */
export const diagnoseRender = async (dependencies: RendererDependencies, stream: string, attempt: number, span?: Span): Promise<WorkEnd> => {
  const { history, aggregate } = await load(dependencies.log, render, stream);
  const asked = history.findLast(({ type }) => type === 'DiagnosisRequested');
  if (!asked || history.some(({ type }) => type === 'RenderDiagnosed')) return { kind: 'done' };
  const request = history.find((event) => event.type === 'RenderRequested')!;
  const end = { completed: history.find((event) => event.type === 'RenderCompleted')?.data, failed: history.find((event) => event.type === 'RenderFailed')?.data };
  const [id, cause] = [idOfStream(stream), causedBy(asked, 'renderer')];
  span?.note(attributesOf(id, attempt, request.data));
  const failed = (error: unknown): 'final' | 'again' => {
    if ((error instanceof Problem && error.fault.name !== 'service_unavailable') || error instanceof BrowserGone) return 'final';
    if (error instanceof BlobMissing ? !hasWaitedAnHour(attempt) : attempt < maxAttempts) return 'again';
    span?.fail(error);
    dependencies.report({ render: id, attempt, ...idsOf(cause), error: String(error) }, 'a render could not be diagnosed', 'error');
    return 'final';
  };
  const diagnosis = await diagnose(dependencies, request.data, new Date(request.metadata.occurredAt), end, failed);
  await aggregate.execute({ type: 'diagnose', data: { diagnosis: await dependencies.blobs.put(Buffer.from(JSON.stringify(diagnosis))) } }, cause);
  return { kind: 'done' };
};
