import type { Attributes } from '@opentelemetry/api';
import { renderModeOf } from '#libs/chromium/render-mode.ts';
import type { EventData } from '#contracts/events/event-schemas.ts';
import type { RenderMode } from '#contracts/render-modes.ts';
import { accountIdOf, renderIdOf, templateIdOf } from '#contracts/names.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import type { BrowserHealth, Printer, PrintRequest } from '#libs/chromium/printer.ts';
import type { DocumentPreparation } from '#libs/documents/document-preparation.ts';
import type { Office } from '#libs/office/port.ts';
import { count, record, type GaugeName, observeGauge } from '#libs/telemetry/metrics.ts';
import { isTracingEnabled, recordPastSpan, otelSystemNames, withSpan } from '#libs/telemetry/tracing.ts';

const phases = {
  queue: 'queueMs',
  prepare: 'prepareMs',
  wait: 'waitMs',
  load: 'loadMs',
  print: 'printMs',
  finish: 'finishMs',
  total: 'totalMs',
} as const;

/** Counts a completed render. */
export const countCompleted = ({ renderMode, input, pages, pdf, durations }: EventData['RenderCompleted']): void => {
  count('colophon.renders', 1, { render_mode: renderMode, input, outcome: 'done' });
  count('colophon.pages', pages, {});
  count('colophon.pdf.size', pdf.size, {});
  for (const phase of Object.keys(phases) as (keyof typeof phases)[])
    record('colophon.render.duration', (durations[phases[phase]] ?? 0) / 1000, { phase, render_mode: renderMode });
};

/**
 * Counts a failed render. Its duration has the render mode `none`, so that timeouts do not distort the durations of
 * PDFs.
 */
export const countFailed = (
  { error, totalMs }: EventData['RenderFailed'],
  input: EventData['RenderCompleted']['input'],
  renderMode: RenderMode | 'none',
): void => {
  count('colophon.renders', 1, { render_mode: renderMode, input, outcome: 'failed' });
  count('colophon.render.failures', 1, { error: error.name });
  record('colophon.render.duration', totalMs / 1000, { phase: 'total', render_mode: 'none' });
};

/** The span attributes of a render. */
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
    : source.mode === 'COMPOSE'
      ? { 'colophon.input': 'composition', 'colophon.parts': source.parts }
      : {
          'colophon.input': 'template',
          'colophon.template.id': templateIdOf(source.templateId),
          'colophon.template.version': source.templateVersion,
        }),
});

/**
 * The span attributes of a completed render. The reason for the render mode is left out, since it can quote the
 * document.
 */
export const resultAttributes = ({ renderMode, pages, pdf }: EventData['RenderCompleted']): Attributes => ({
  'colophon.render.mode': renderMode,
  'colophon.pages': pages,
  'colophon.bytes': pdf.size,
});

/** Traces the writes to a blob store, if tracing is on. */
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
  prepare: (input, options) =>
    withSpan({ name: `convert ${input.inputType}`, attributes: { 'colophon.bytes': input.data.byteLength } }, () =>
      preparation.prepare(input, options),
    ),
  prepareTemplate: (input, options) =>
    withSpan({ name: 'expand template', attributes: { 'colophon.bytes': input.data.byteLength } }, () =>
      preparation.prepareTemplate(input, options),
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
        'colophon.browser.version': printed.engine,
      });
      return printed;
    },
  );

type TracedDependencies = { outputs: BlobStore; blobs: BlobStore; preparation: DocumentPreparation; printer: Printer };

/** Traces conversion, blobs and printing, if tracing is on. */
export const traceRendering = <T extends TracedDependencies>(dependencies: T): T =>
  isTracingEnabled()
    ? {
        ...dependencies,
        outputs: traceBlobStore(dependencies.outputs),
        blobs: traceBlobStore(dependencies.blobs),
        preparation: tracePreparation(dependencies.preparation),
        printer: {
          ...dependencies.printer,
          print: (request: PrintRequest) => tracePrint(dependencies.printer, request),
        },
      }
    : dependencies;

/** Observes browsers and conversion processes for the metrics. Returns a function that stops it. */
export const observeRendering = ({
  printer,
  preparation,
  office,
}: {
  printer: Pick<Printer, 'health'>;
  preparation: Pick<DocumentPreparation, 'load'>;
  office: Pick<Office, 'health'>;
}): (() => void) => {
  const ofBrowsers = (name: GaugeName, value: (browser: BrowserHealth) => number) =>
    observeGauge(name, () =>
      printer.health().map((browser) => ({ value: value(browser), labels: { browser: browser.renderMode } })),
    );
  const stops = [
    ofBrowsers('colophon.browser.up', ({ up }) => (up ? 1 : 0)),
    ofBrowsers('colophon.browser.documents.running', ({ running }) => running),
    ofBrowsers('colophon.browser.documents.waiting', ({ waiting }) => waiting),
    ofBrowsers('colophon.browser.memory', ({ memoryMb }) => memoryMb * 2 ** 20),
    ofBrowsers('colophon.browser.starts', ({ starts }) => starts),
    ofBrowsers('colophon.browser.crashes', ({ crashes }) => crashes),
    ofBrowsers('colophon.browser.documents.printed', ({ documents }) => documents),
    observeGauge('colophon.conversion.running', () => [{ value: preparation.load().running }]),
    observeGauge('colophon.conversion.waiting', () => [{ value: preparation.load().waiting }]),
    observeGauge('colophon.conversion.processes', () => [{ value: preparation.load().processes }]),
    observeGauge('colophon.office.processes', () => [{ value: office.health().processes }]),
    observeGauge('colophon.office.documents.running', () => [{ value: office.health().running }]),
    observeGauge('colophon.office.documents.waiting', () => [{ value: office.health().waiting }]),
    observeGauge('colophon.office.documents.printed', () => [{ value: office.health().documents }]),
    observeGauge('colophon.office.memory', () => [{ value: office.health().memoryMb * 2 ** 20 }]),
    observeGauge('colophon.office.starts', () => [{ value: office.health().starts }]),
    observeGauge('colophon.office.crashes', () => [{ value: office.health().crashes }]),
  ];
  return () => stops.forEach((stop) => stop());
};
