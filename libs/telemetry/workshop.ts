import type { BlobStore } from '#libs/blob-store/port.ts';
import type { Printer, PrintRequest } from '#libs/chromium/printer.ts';
import type { Preparation } from '#libs/documents/preparation.ts';
import { isTracing, pastSpan, systems, traced } from './tracing.ts';

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
  traced({ name: 'browser', attributes: { 'colophon.lane': request.lane, 'colophon.external': request.external } }, async (span) => {
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
