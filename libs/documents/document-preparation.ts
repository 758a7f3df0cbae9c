import { openWorkerPool, type WorkerPoolLoad, type TaskOptions } from './worker-pool.ts';
import type { FinishInput } from '#libs/pdf/finish.ts';
import type { ComposeInput, ComposeOutput } from '#libs/pdf/compose/compose-pdf.ts';
import type { ImportPartInput } from '#libs/pdf/compose/import-part.ts';
import type { PartHeadings, ReadHeadingsInput } from '#libs/pdf/compose/read-headings.ts';
import type { InvoiceInput } from '#libs/pdf/factur-x/read-invoice.ts';
import type { DrawnPages, DrawnThumbnail, DrawPagesInput, DrawThumbnailInput } from '#libs/pdf/images/draw-pages.ts';
import type { PageSize } from '#libs/pdf/stamp.ts';
import type { HeaderFooterInput, PreparedHeaderFooter } from './header-footer.ts';
import type { InputType } from './input.ts';
import type { PreparedDocument } from './prepared-document.ts';
import { prepareSmallHtml, prepareSmallTemplate } from './prepare-small.ts';
import type { DocumentInput, TemplateInput } from './prepare.ts';
import type { AnalysisInput, TemplateAnalysis } from '#libs/templating/analyse.ts';

export type { InputType, PreparedDocument };

export type PreparationOptions = TaskOptions;

/**
 * Converts the input of callers into documents for the browser: small input in the calling process, everything else in
 * worker processes.
 */
export type DocumentPreparation = {
  /**
   * @throws ApiError
   */
  prepare: (input: DocumentInput, options: PreparationOptions) => Promise<PreparedDocument>;
  /** Expands a template with data and prepares the result like `prepare`. @throws ApiError */
  prepareTemplate: (input: TemplateInput, options: PreparationOptions) => Promise<PreparedDocument>;
  /** Finds the errors of a template. @throws ApiError if reading the template takes too long or too much memory */
  analyse: (input: AnalysisInput, options: PreparationOptions) => Promise<TemplateAnalysis>;
  /** Parses header and footer. @throws ApiError */
  parseHeaderFooter: (input: HeaderFooterInput, options: PreparationOptions) => Promise<PreparedHeaderFooter>;
  /** Does what the browser cannot do with a printed PDF, such as conformance. @throws ApiError conformance_not_met */
  finishPdf: (input: FinishInput, options: PreparationOptions) => Promise<Uint8Array>;
  /** Makes and checks the XML of an electronic invoice. @throws ApiError invalid_factur_x */
  readInvoice: (input: InvoiceInput, options: PreparationOptions) => Promise<string>;
  /** Takes an existing PDF in as a part, and writes it to a file. @throws ApiError invalid_pdf */
  importPart: (input: ImportPartInput, options: PreparationOptions) => Promise<{ pages: number }>;
  /** Reads the titles and headings of PDFs in files. */
  readHeadings: (input: ReadHeadingsInput, options: PreparationOptions) => Promise<PartHeadings[]>;
  /** Writes PDFs in files into one. @throws ApiError conformance_not_met, pdf_too_large */
  composePdf: (input: ComposeInput, options: PreparationOptions) => Promise<ComposeOutput>;
  /** Draws the pages of a PDF as images. @throws ApiError image_too_large, output_too_large */
  drawPages: (input: DrawPagesInput, options: PreparationOptions) => Promise<DrawnPages>;
  /** Draws the first page of a PDF as a PNG. @throws ApiError */
  drawThumbnail: (input: DrawThumbnailInput, options: PreparationOptions) => Promise<DrawnThumbnail>;
  /** The sizes of the pages of a PDF, in points. */
  readPageSizes: (pdf: Uint8Array, options: PreparationOptions) => Promise<PageSize[]>;
  load: () => WorkerPoolLoad;
  close: () => Promise<void>;
};

const defaults = { processes: 3, memoryMb: 512 };

const notifyStart = <T>(work: Promise<T>, { onStart }: PreparationOptions): Promise<T> => {
  onStart?.();
  return work;
};

/**
 * @param options `processes`: how many documents are converted at once (3), each in its own process; `memoryMb`: the
 * heap limit of each (512 MiB)
 */
export const openDocumentPreparation = (
  options: { processes?: number; memoryMb?: number } = {},
): DocumentPreparation => {
  const { processes, memoryMb } = { ...defaults, ...options };
  const pool = openWorkerPool({ processes, memoryMb });
  return {
    prepare: async (input, options) =>
      (await notifyStart(prepareSmallHtml(input), options)) ?? pool.run('prepare', input, options),
    prepareTemplate: async (input, options) =>
      (await notifyStart(prepareSmallTemplate(input), options)) ?? pool.run('prepareTemplate', input, options),
    analyse: (input, options) => pool.run('analyse', input, options),
    parseHeaderFooter: (input, options) => pool.run('parseHeaderFooter', input, options),
    finishPdf: (input, options) => pool.run('finishPdf', input, options),
    readInvoice: (input, options) => pool.run('readInvoice', input, options),
    importPart: (input, options) => pool.run('importPart', input, options),
    readHeadings: (input, options) => pool.run('readHeadings', input, options),
    composePdf: (input, options) => pool.run('composePdf', input, options),
    drawPages: (input, options) => pool.run('drawPages', input, options),
    drawThumbnail: (input, options) => pool.run('drawThumbnail', input, options),
    readPageSizes: (pdf, options) => pool.run('readPageSizes', { pdf }, options),
    load: pool.load,
    close: async () => pool.close(),
  };
};
