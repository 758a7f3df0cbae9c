import type { Attributes } from '@opentelemetry/api';
import { laneOf } from '#application/renders/produce.ts';
import type { EventData } from '#contracts/events/all.ts';
import { accountIdOf, renderIdOf, templateIdOf } from '#contracts/names.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import type { Printer, PrintRequest } from '#libs/chromium/printer.ts';
import type { Preparation } from '#libs/documents/preparation.ts';
import { count, record, type Reading, watchGauge } from '#libs/telemetry/metrics.ts';
import { isTracing, pastSpan, systems, traced } from '#libs/telemetry/tracing.ts';

type Input = EventData['RenderCompleted']['input'];

const phases = { queue: 'queueMs', prepare: 'prepareMs', wait: 'waitMs', load: 'loadMs', print: 'printMs', total: 'totalMs' } as const;

/** Counts a render that has become a PDF. */
export const countCompleted = ({ lane, input, pages, pdf, durations }: EventData['RenderCompleted']): void => {
  count('colophon.renders', 1, { lane, input, outcome: 'done' });
  count('colophon.pages', pages, {});
  count('colophon.pdf.size', pdf.size, {});
  for (const phase of Object.keys(phases) as (keyof typeof phases)[]) record('colophon.render.duration', durations[phases[phase]] / 1000, { phase, lane });
};

/** Counts a render that has failed; `none` is the lane of those that came to no printer. How long it took stays apart from what PDFs take, whatever its lane: time-outs would hide them. */
export const countFailed = ({ fault, totalMs }: EventData['RenderFailed'], input: Input, lane: EventData['RenderCompleted']['lane'] | 'none'): void => {
  count('colophon.renders', 1, { lane, input, outcome: 'failed' });
  count('colophon.render.failures', 1, { error: fault.name });
  record('colophon.render.duration', totalMs / 1000, { phase: 'total', lane: 'none' });
};

/** What a trace says of a render: whose it is and what is made from what. */
export const attributesOf = (id: string, attempt: number, { accountId, keyType, source }: EventData['RenderRequested']): Attributes => ({
  'colophon.render.id': renderIdOf(id), 'colophon.account.id': accountIdOf(accountId), 'colophon.key.type': keyType, 'colophon.attempt': attempt,
  ...(source.mode === 'CONVERT' ? { 'colophon.input': source.inputType } : { 'colophon.input': 'template', 'colophon.template.id': templateIdOf(source.templateId), 'colophon.template.version': source.templateVersion }),
});

/** What a trace says of a finished render; not why it took its lane, which can quote the document. */
export const resultOf = ({ lane, pages, pdf }: EventData['RenderCompleted']): Attributes => ({ 'colophon.lane': lane, 'colophon.pages': pages, 'colophon.bytes': pdf.size });

/** Blobs whose writing is seen in traces; the same ones with tracing off. */
export const tracedBlobs = (blobs: BlobStore): BlobStore =>
  isTracing()
    ? { ...blobs, put: (bytes) => traced({ name: 'blob put', kind: 'client', attributes: { 'db.system.name': systems().blobs, 'db.operation.name': 'put', 'colophon.bytes': bytes.byteLength } }, () => blobs.put(bytes)) }
    : blobs;

const tracedPreparation = (preparation: Preparation): Preparation => ({
  ...preparation,
  prepare: (input, terms) => traced({ name: `convert ${input.inputType}`, attributes: { 'colophon.bytes': input.data.byteLength } }, () => preparation.prepare(input, terms)),
  prepareTemplate: (input, terms) => traced({ name: 'expand template', attributes: { 'colophon.bytes': input.data.byteLength } }, () => preparation.prepareTemplate(input, terms)),
});

const print = (printer: Printer, request: PrintRequest) =>
  traced({ name: 'browser', attributes: { 'colophon.lane': laneOf(request.classification), 'colophon.external': request.classification.external } }, async (span) => {
    const printed = await printer.print(request);
    const { waitMs, loadMs, printMs } = printed.timings;
    const end = Date.now();
    pastSpan({ name: 'browser wait' }, end - printMs - loadMs - waitMs, end - printMs - loadMs);
    pastSpan({ name: 'browser load' }, end - printMs - loadMs, end - printMs);
    pastSpan({ name: 'browser print' }, end - printMs, end);
    span.note({ 'colophon.pages': printed.pages, 'colophon.bytes': printed.pdf.byteLength, 'colophon.engine': printed.engine });
    return printed;
  });

type Tools = { blobs: BlobStore; preparation: Preparation; printer: Printer };

/** What makes PDFs, seen in traces from conversion to print; the same with tracing off. */
export const tracedWorkshop = <T extends Tools>(tools: T): T =>
  isTracing() ? { ...tools, blobs: tracedBlobs(tools.blobs), preparation: tracedPreparation(tools.preparation), printer: { ...tools.printer, print: (request: PrintRequest) => print(tools.printer, request) } } : tools;

type BrowserHealth = ReturnType<Printer['health']>['browsers'][number];

/** Has browsers and conversion processes looked at. Returns what ends that. */
export const watchWorkshop = ({ printer, preparation }: { printer: Pick<Printer, 'health'>; preparation: Pick<Preparation, 'load'> }): (() => void) => {
  const ofBrowsers = (value: (browser: BrowserHealth) => number) => (): Reading[] => printer.health().browsers.map((browser) => ({ value: value(browser), labels: { browser: browser.kind } }));
  const stops = [
    watchGauge('colophon.browser.up', ofBrowsers(({ up }) => (up ? 1 : 0))),
    watchGauge('colophon.browser.running', ofBrowsers(({ running }) => running)),
    watchGauge('colophon.browser.waiting', ofBrowsers(({ waiting }) => waiting)),
    watchGauge('colophon.browser.memory', ofBrowsers(({ memoryMb }) => memoryMb * 2 ** 20)),
    watchGauge('colophon.browser.starts', ofBrowsers(({ starts }) => starts)),
    watchGauge('colophon.browser.crashes', ofBrowsers(({ crashes }) => crashes)),
    watchGauge('colophon.browser.documents', ofBrowsers(({ documents }) => documents)),
    watchGauge('colophon.conversion.running', () => [{ value: preparation.load().running }]),
    watchGauge('colophon.conversion.waiting', () => [{ value: preparation.load().waiting }]),
    watchGauge('colophon.conversion.processes', () => [{ value: preparation.load().processes }]),
  ];
  return () => stops.forEach((stop) => stop());
};
