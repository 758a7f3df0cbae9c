import { flushCompileCache } from 'node:module';
import { analyse, type AnalysisInput, type TemplateAnalysis } from '#libs/templating/analyse.ts';
import type { FinishInput } from '#libs/pdf/finish.ts';
import type { ComposeInput, ComposeOutput } from '#libs/pdf/compose/compose-pdf.ts';
import type { ImportPartInput } from '#libs/pdf/compose/import-part.ts';
import type { PartHeadings, ReadHeadingsInput } from '#libs/pdf/compose/read-headings.ts';
import type { InvoiceInput } from '#libs/pdf/factur-x/read-invoice.ts';
import type { DrawnPages, DrawnThumbnail, DrawPagesInput, DrawThumbnailInput } from '#libs/pdf/images/draw-pages.ts';
import type { PageSize } from '#libs/pdf/stamp.ts';
import type { HeaderFooterInput, PreparedHeaderFooter } from '../header-footer.ts';
import { prepareDocument, type DocumentInput, prepareTemplate, type TemplateInput } from '../prepare.ts';
import type { PreparedDocument } from '../prepared-document.ts';
import { serveTasks } from './serve-tasks.ts';
import { runTask } from './task-result.ts';

/** The tasks of the worker processes. A new task needs one line here and one in {@link Tasks}. */
const tasks: {
  [Name in keyof Tasks]: (input: Tasks[Name]['input']) => Tasks[Name]['output'] | Promise<Tasks[Name]['output']>;
} = {
  prepare: prepareDocument,
  prepareTemplate,
  analyse: ({ content, variables, labels }) => analyse(content, variables, labels),
  finishPdf: async (input) => (await import('#libs/pdf/finish.ts')).finishPdf(input),
  readInvoice: async (input) => (await import('#libs/pdf/factur-x/read-invoice.ts')).readInvoice(input),
  importPart: async (input) => (await import('#libs/pdf/compose/import-part.ts')).importPart(input),
  readHeadings: async (input) => (await import('#libs/pdf/compose/read-headings.ts')).readHeadings(input),
  composePdf: async (input) => (await import('#libs/pdf/compose/compose-pdf.ts')).composePdf(input),
  drawPages: async (input) => (await import('#libs/pdf/images/draw-pages.ts')).drawPages(input),
  drawThumbnail: async (input) => (await import('#libs/pdf/images/draw-pages.ts')).drawThumbnail(input),
  readPageSizes: async ({ pdf }) => (await import('#libs/pdf/stamp.ts')).readPageSizes(pdf),
  parseHeaderFooter: async (input) => (await import('../header-footer.ts')).prepareHeaderFooter(input),
};

export type Tasks = {
  /** Prepares a document. @throws ApiError */
  prepare: { input: DocumentInput; output: PreparedDocument };
  /** Expands a template with data and prepares the result like `prepare`. @throws ApiError */
  prepareTemplate: { input: TemplateInput; output: PreparedDocument };
  /** Finds the errors of a template. @throws ApiError if reading the template takes too long or too much memory */
  analyse: { input: AnalysisInput; output: TemplateAnalysis };
  /** Does what the browser cannot do with a printed PDF, such as conformance. @throws ApiError conformance_not_met */
  finishPdf: { input: FinishInput; output: Uint8Array };
  /** Makes and checks the XML of an electronic invoice. @throws ApiError invalid_factur_x */
  readInvoice: { input: InvoiceInput; output: string };
  /** Takes an existing PDF in as a part, and writes it to a file. @throws ApiError invalid_pdf */
  importPart: { input: ImportPartInput; output: { pages: number } };
  /** Reads the titles and headings of PDFs in files. */
  readHeadings: { input: ReadHeadingsInput; output: PartHeadings[] };
  /** Writes PDFs in files into one. @throws ApiError conformance_not_met, pdf_too_large */
  composePdf: { input: ComposeInput; output: ComposeOutput };
  /** Draws the pages of a PDF as images. @throws ApiError image_too_large, output_too_large */
  drawPages: { input: DrawPagesInput; output: DrawnPages };
  /** Draws the first page of a PDF as a PNG. @throws ApiError */
  drawThumbnail: { input: DrawThumbnailInput; output: DrawnThumbnail };
  /** The sizes of the pages of a PDF, in points. */
  readPageSizes: { input: { pdf: Uint8Array }; output: PageSize[] };
  /** Parses header and footer. @throws ApiError */
  parseHeaderFooter: { input: HeaderFooterInput; output: PreparedHeaderFooter };
};

export type TaskRequest<Name extends keyof Tasks = keyof Tasks> = { task: Name; input: Tasks[Name]['input'] };

/** The tasks that read what a caller has written. An unexpected error in them is an error of the document. */
const inputTasks: ReadonlySet<keyof Tasks> = new Set<keyof Tasks>([
  'prepare',
  'prepareTemplate',
  'analyse',
  'readInvoice',
  'importPart',
  'parseHeaderFooter',
]);

const runRequest = <Name extends keyof Tasks>({ task, input }: TaskRequest<Name>) =>
  runTask(() => tasks[task](input), { readsInput: inputTasks.has(task) });

serveTasks(runRequest);
// This process will be killed, and Node saves its compile cache only at a regular exit.
flushCompileCache();
