import { pdfUa } from '#contracts/http/conformance.ts';
import type { PdfMetadataOption } from '#contracts/http/pdf-metadata.ts';
import type { RenderOptions } from '#contracts/http/render-options.ts';
import { withInformation } from '#libs/chromium/pdf/information.ts';
import type { Standards } from '#libs/pdf/catalog.ts';
import type { Printer } from '#libs/chromium/printer.ts';
import type { Stamps } from '#libs/pdf/stamp.ts';
import type { InstallationSecrets } from '#libs/secrets/installation-secret.ts';
import { type ElapsedTimes, runWithinDeadline } from './deadline.ts';
import { openEncryption } from './encryption-secrets.ts';
import type { TemplateInput } from '#libs/documents/prepare.ts';
import type { InputDependencies, RenderRequestedData } from './load-inputs.ts';
import { hasStamps, printStamps } from './print-stamps.ts';

/** `metadata` is null if neither request nor document names any. */
export type PdfToFinish = {
  pdf: Uint8Array;
  metadata: PdfMetadataOption | null;
  /** The title for PDF/UA of a document that has none; null if its author must name it. */
  fallbackTitle: string | null;
  namesLanguage: boolean;
  /** The XML of the invoice that the options name, checked; null without one. */
  invoice: string | null;
  options: RenderOptions;
  requestedAt: Date;
  /** Prints stamps in an isolated browser, as the document. */
  isolated: boolean;
};

/** The standards that the option names; null without the option. */
export const standardsOf = ({ conformance }: RenderOptions): Standards | null => {
  if (conformance === undefined) return null;
  const names = [conformance].flat();
  const pdfa = names.find((one) => one !== pdfUa);
  return {
    pdfa: pdfa ? { part: pdfa.startsWith('pdf/a-2') ? 2 : 3, conformance: pdfa.endsWith('u') ? 'U' : 'B' } : null,
    isPdfUa: names.includes(pdfUa),
  };
};

/**
 * The checked XML of the invoice that the options name; null without one. Called before printing, so that wrong XML is
 * found early. `template` is what fills in the document, if it is a template.
 */
export const prepareInvoice = async (
  { preparation }: Pick<InputDependencies, 'preparation'>,
  requested: RenderRequestedData,
  elapsed: ElapsedTimes,
  { factur_x }: RenderOptions,
  template: TemplateInput | null,
): Promise<string | null> => {
  if (!factur_x) return null;
  return runWithinDeadline(requested, elapsed, (limits) =>
    preparation.readInvoice({ option: factur_x, template }, limits),
  );
};

export type FinishDependencies = InputDependencies & { printer: Printer; secrets: InstallationSecrets };

const stampsFor = async (
  dependencies: FinishDependencies,
  requested: RenderRequestedData,
  elapsed: ElapsedTimes,
  toFinish: PdfToFinish,
): Promise<Stamps | null> => {
  if (!hasStamps(toFinish.options)) return null;
  const sizes = await runWithinDeadline(requested, elapsed, (limits) =>
    dependencies.preparation.readPageSizes({ pdf: toFinish.pdf }, limits),
  );
  return printStamps(dependencies, requested, elapsed, { ...toFinish, pages: { sizes } });
};

/** The files that the options put into the PDF. `invoice` is the checked XML. */
export const filesOf = ({ attachments = [], factur_x }: RenderOptions, invoice: string | null) => ({
  attachments,
  facturX: factur_x && invoice !== null ? { xml: invoice, profile: factur_x.profile } : null,
});

/** Does what the options ask for beyond printing. A plain PDF needs nothing and is not sent to another process. */
export const finishPdf = async (
  dependencies: FinishDependencies,
  requested: RenderRequestedData,
  elapsed: ElapsedTimes,
  toFinish: PdfToFinish,
): Promise<Uint8Array> => {
  const { pdf, metadata, fallbackTitle, namesLanguage, invoice, options, requestedAt } = toFinish;
  const files = filesOf(options, invoice);
  const standards = standardsOf(options);
  const stamps = await stampsFor(dependencies, requested, elapsed, toFinish);
  const encryption = await openEncryption(dependencies, requested);
  if (!standards && !stamps && !encryption && files.attachments.length === 0)
    return metadata ? withInformation(pdf, metadata) : pdf;
  const input = {
    pdf,
    metadata: metadata ?? {},
    fallbackTitle,
    standards,
    namesLanguage,
    requestedAt: requestedAt.toISOString(),
    ...files,
    stamps,
    encryption,
  };
  return runWithinDeadline(requested, elapsed, (limits) => dependencies.preparation.finishPdf(input, limits));
};
