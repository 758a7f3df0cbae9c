import type { HeaderFooterContent } from '#libs/chromium/header-footer/parse.ts';
import type { HeaderFooterSources } from '#libs/chromium/header-footer/parse.ts';
import { openWorkerPool, type WorkerPoolLoad, type TaskOptions } from './worker-pool.ts';
import type { InputType } from './input.ts';
import type { PreparedDocument } from './prepared-document.ts';
import { prepareSmallHtml, prepareSmallTemplate } from './prepare-small.ts';
import type { TemplateInput } from './prepare.ts';
import type { VariableDeclaration } from '#contracts/http/templates.ts';
import type { TemplateAnalysis } from '#libs/templating/analyse.ts';

export type { InputType, PreparedDocument };

/** How long a task may wait and run, and whose it is. */
export type PreparationOptions = TaskOptions;

/**
 * Turns what callers send into documents for the browser: what is small and takes a moment in the calling process, all
 * else away from its event loop.
 */
export type DocumentPreparation = {
  /**
   * @param input `data` is the UTF-8 of what the caller sent (the text as sent, or the JSON of an object); `maxImages`
   *   null where there is no limit
   * @throws Problem
   */
  prepare: (
    input: { inputType: InputType; data: Uint8Array; maxImages: number | null },
    terms: PreparationOptions,
  ) => Promise<PreparedDocument>;
  /** Fills a template with data and makes a document of it. Otherwise as `prepare`. @throws Problem */
  prepareTemplate: (input: TemplateInput, terms: PreparationOptions) => Promise<PreparedDocument>;
  /** What is wrong with a template. @throws Problem where the template takes too long or too much memory to read */
  analyse: (
    input: { content: string; variables: VariableDeclaration[] },
    terms: PreparationOptions,
  ) => Promise<TemplateAnalysis>;
  /** Reads header and footer, see `readHeaderFooter` of the browsers. @throws Problem */
  parseHeaderFooter: (
    input: { sources: HeaderFooterSources; requestedAt: Date },
    terms: PreparationOptions,
  ) => Promise<HeaderFooterContent[]>;
  /** What its processes are doing now. */
  load: () => WorkerPoolLoad;
  close: () => Promise<void>;
};

const defaults = { processes: 3, memoryMb: 512 };

const notifyStart = <T>(work: Promise<T>, { onStart }: PreparationOptions): Promise<T> => {
  onStart?.();
  return work;
};

/**
 * @param settings `threads`: how many documents are converted at once (3), each in a process of its own; `memoryMb`:
 * the heap limit of each (512 MiB)
 */
export const openDocumentPreparation = (
  settings: { processes?: number; memoryMb?: number } = {},
): DocumentPreparation => {
  const { processes, memoryMb } = { ...defaults, ...settings };
  const pool = openWorkerPool({ processes: processes, memoryMb });
  return {
    prepare: async (input, terms) =>
      (await notifyStart(prepareSmallHtml(input), terms)) ?? pool.run('prepare', input, terms),
    prepareTemplate: async (input, terms) =>
      (await notifyStart(prepareSmallTemplate(input), terms)) ?? pool.run('prepareTemplate', input, terms),
    analyse: (input, terms) => pool.run('analyse', input, terms),
    parseHeaderFooter: (input, terms) => pool.run('parseHeaderFooter', input, terms),
    load: pool.load,
    close: async () => pool.close(),
  };
};
