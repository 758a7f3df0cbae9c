import { flushCompileCache } from 'node:module';
import { analyse, type AnalysisInput, type TemplateAnalysis } from '#libs/templating/analyse.ts';
import type { FinishInput } from '#libs/pdf/finish.ts';
import type { ComposeInput, ComposeOutput } from '#libs/pdf/compose/compose-pdf.ts';
import type { ImportPartInput } from '#libs/pdf/compose/import-part.ts';
import type { PartHeadings, ReadHeadingsInput } from '#libs/pdf/compose/read-headings.ts';
import type { ImportedPdf, ImportLimits } from '#libs/pdf/import/import-pdf.ts';
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
  importPdf: async ({ pdf, limits }) => (await import('#libs/pdf/import/import-pdf.ts')).importPdf(pdf, limits),
  drawPages: async (input) => (await import('#libs/pdf/images/draw-pages.ts')).drawPages(input),
  drawThumbnail: async (input) => (await import('#libs/pdf/images/draw-pages.ts')).drawThumbnail(input),
  readPageSizes: async ({ pdf }) => (await import('#libs/pdf/stamp.ts')).readPageSizes(pdf),
  parseHeaderFooter: async (input) => (await import('../header-footer.ts')).prepareHeaderFooter(input),
};

export type Tasks = {
  prepare: { input: DocumentInput; output: PreparedDocument };
  prepareTemplate: { input: TemplateInput; output: PreparedDocument };
  analyse: { input: AnalysisInput; output: TemplateAnalysis };
  finishPdf: { input: FinishInput; output: Uint8Array };
  readInvoice: { input: InvoiceInput; output: string };
  importPart: { input: ImportPartInput; output: { pages: number } };
  readHeadings: { input: ReadHeadingsInput; output: PartHeadings[] };
  composePdf: { input: ComposeInput; output: ComposeOutput };
  importPdf: { input: { pdf: Uint8Array; limits: ImportLimits }; output: ImportedPdf };
  drawPages: { input: DrawPagesInput; output: DrawnPages };
  drawThumbnail: { input: DrawThumbnailInput; output: DrawnThumbnail };
  readPageSizes: { input: { pdf: Uint8Array }; output: PageSize[] };
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
