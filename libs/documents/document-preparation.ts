import { prepareSmallHtml, prepareSmallTemplate } from './prepare-small.ts';
import { openWorkerPool, type WorkerPoolLoad, type TaskOptions } from './worker-pool.ts';
import type { Tasks } from './worker/worker.ts';

/**
 * Converts the input of callers into documents for the browser: small input in the calling process, everything else in
 * worker processes, as {@link Tasks} says.
 */
export type DocumentPreparation = {
  [Name in keyof Tasks]: (input: Tasks[Name]['input'], options: TaskOptions) => Promise<Tasks[Name]['output']>;
} & { load: () => WorkerPoolLoad; close: () => Promise<void> };

const defaults = { processes: 3, memoryMb: 512 };

const notifyStart = <T>(work: Promise<T>, { onStart }: TaskOptions): Promise<T> => {
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
    readPageSizes: (input, options) => pool.run('readPageSizes', input, options),
    load: pool.load,
    close: async () => pool.close(),
  };
};
