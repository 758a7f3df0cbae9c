import type { Attributes } from '@opentelemetry/api';
import { renderModeOf } from '#libs/chromium/render-mode.ts';
import type { EventData } from '#contracts/events/event-schemas.ts';
import type { RenderMode } from '#contracts/render-modes.ts';
import { accountIdOf, renderIdOf, templateIdOf } from '#contracts/names.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import type { Printer, PrintRequest } from '#libs/chromium/printer.ts';
import type { DocumentPreparation } from '#libs/documents/document-preparation.ts';
import { count, record, type GaugeValue, observeGauge } from '#libs/telemetry/metrics.ts';
import { isTracingEnabled, recordPastSpan, otelSystemNames, withSpan } from '#libs/telemetry/tracing.ts';

type Input = EventData['RenderCompleted']['input'];

const phases = {
  queue: 'queueMs',
  prepare: 'prepareMs',
  wait: 'waitMs',
  load: 'loadMs',
  print: 'printMs',
  total: 'totalMs',
} as const;

/** Counts a render that has become a PDF. */
export const countCompleted = ({ renderMode, input, pages, pdf, durations }: EventData['RenderCompleted']): void => {
  count('colophon.renders', 1, { render_mode: renderMode, input, outcome: 'done' });
  count('colophon.pages', pages, {});
  count('colophon.pdf.size', pdf.size, {});
  for (const phase of Object.keys(phases) as (keyof typeof phases)[])
    record('colophon.render.duration', durations[phases[phase]] / 1000, { phase, render_mode: renderMode });
};

/** Counts a render that has failed; `none` is the lane of those that came to no printer. How long it took stays apart from what PDFs take, whatever its lane: time-outs would hide them. */
export const countFailed = (
  { error, totalMs }: EventData['RenderFailed'],
  input: Input,
  renderMode: RenderMode | 'none',
): void => {
  count('colophon.renders', 1, { render_mode: renderMode, input, outcome: 'failed' });
  count('colophon.render.failures', 1, { error: error.name });
  record('colophon.render.duration', totalMs / 1000, { phase: 'total', render_mode: 'none' });
};

/** What a trace says of a render: whose it is and what is made from what. */
export const renderAttributes = (
  id: string,
  attempt: number,
  { accountId, keyType, source }: EventData['RenderRequested'],
): Attributes => ({
  'colophon.render.id': renderIdOf(id),
  'colophon.account.id': accountIdOf(accountId),
  'colophon.key.type': keyType,
  'colophon.attempt': attempt,
  ...(source.mode === 'CONVERT'
    ? { 'colophon.input': source.inputType }
    : {
        'colophon.input': 'template',
        'colophon.template.id': templateIdOf(source.templateId),
        'colophon.template.version': source.templateVersion,
      }),
});

/** What a trace says of a finished render; not why it took its lane, which can quote the document. */
export const resultAttributes = ({ renderMode, pages, pdf }: EventData['RenderCompleted']): Attributes => ({
  'colophon.render.mode': renderMode,
  'colophon.pages': pages,
  'colophon.bytes': pdf.size,
});

/** Blobs whose writing is seen in traces; the same ones with tracing off. */
export const traceBlobStore = (blobs: BlobStore): BlobStore =>
  isTracingEnabled()
    ? {
        ...blobs,
        put: (bytes) =>
          withSpan(
            {
              name: 'blob put',
              kind: 'client',
              attributes: {
                'db.system.name': otelSystemNames().blobs,
                'db.operation.name': 'put',
                'colophon.bytes': bytes.byteLength,
              },
            },
            () => blobs.put(bytes),
          ),
      }
    : blobs;

const tracePreparation = (preparation: DocumentPreparation): DocumentPreparation => ({
  ...preparation,
  prepare: (input, terms) =>
    withSpan({ name: `convert ${input.inputType}`, attributes: { 'colophon.bytes': input.data.byteLength } }, () =>
      preparation.prepare(input, terms),
    ),
  prepareTemplate: (input, terms) =>
    withSpan({ name: 'expand template', attributes: { 'colophon.bytes': input.data.byteLength } }, () =>
      preparation.prepareTemplate(input, terms),
    ),
});

const tracePrint = (printer: Printer, request: PrintRequest) =>
  withSpan(
    {
      name: 'browser',
      attributes: {
        'colophon.render.mode': renderModeOf(request),
        'colophon.external_resources': request.classification.external,
      },
    },
    async (span) => {
      const printed = await printer.print(request);
      const { waitMs, loadMs, printMs } = printed.timings;
      const end = Date.now();
      recordPastSpan({ name: 'browser wait' }, end - printMs - loadMs - waitMs, end - printMs - loadMs);
      recordPastSpan({ name: 'browser load' }, end - printMs - loadMs, end - printMs);
      recordPastSpan({ name: 'browser print' }, end - printMs, end);
      span.setAttributes({
        'colophon.pages': printed.pages,
        'colophon.bytes': printed.pdf.byteLength,
        'colophon.browser.version': printed.browserVersion,
      });
      return printed;
    },
  );

type RenderingDependencies = { blobs: BlobStore; preparation: DocumentPreparation; printer: Printer };

/** What makes PDFs, seen in traces from conversion to print; the same with tracing off. */
export const traceRendering = <T extends RenderingDependencies>(tools: T): T =>
  isTracingEnabled()
    ? {
        ...tools,
        blobs: traceBlobStore(tools.blobs),
        preparation: tracePreparation(tools.preparation),
        printer: { ...tools.printer, print: (request: PrintRequest) => tracePrint(tools.printer, request) },
      }
    : tools;

type BrowserHealth = ReturnType<Printer['health']>['browsers'][number];

/** Has browsers and conversion processes looked at. Returns what ends that. */
export const observeRendering = ({
  printer,
  preparation,
}: {
  printer: Pick<Printer, 'health'>;
  preparation: Pick<DocumentPreparation, 'load'>;
}): (() => void) => {
  const ofBrowsers = (value: (browser: BrowserHealth) => number) => (): GaugeValue[] =>
    printer.health().browsers.map((browser) => ({ value: value(browser), labels: { browser: browser.renderMode } }));
  const stops = [
    observeGauge(
      'colophon.browser.up',
      ofBrowsers(({ up }) => (up ? 1 : 0)),
    ),
    observeGauge(
      'colophon.browser.documents.running',
      ofBrowsers(({ running }) => running),
    ),
    observeGauge(
      'colophon.browser.documents.waiting',
      ofBrowsers(({ waiting }) => waiting),
    ),
    observeGauge(
      'colophon.browser.memory',
      ofBrowsers(({ memoryMb }) => memoryMb * 2 ** 20),
    ),
    observeGauge(
      'colophon.browser.starts',
      ofBrowsers(({ starts }) => starts),
    ),
    observeGauge(
      'colophon.browser.crashes',
      ofBrowsers(({ crashes }) => crashes),
    ),
    observeGauge(
      'colophon.browser.documents.printed',
      ofBrowsers(({ documents }) => documents),
    ),
    observeGauge('colophon.conversion.running', () => [{ value: preparation.load().running }]),
    observeGauge('colophon.conversion.waiting', () => [{ value: preparation.load().waiting }]),
    observeGauge('colophon.conversion.processes', () => [{ value: preparation.load().processes }]),
  ];
  return () => stops.forEach((stop) => stop());
};
