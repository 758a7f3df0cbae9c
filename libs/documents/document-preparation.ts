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

export type PreparationOptions = TaskOptions;

/**
 * Converts the input of callers into documents for the browser: small input in the calling process, everything else in
 * worker processes.
 */
export type DocumentPreparation = {
  /**
   * @param input `data` is UTF-8: the text as sent, or an object as JSON; `maxImages` is null for no limit
   * @throws ApiError
   */
  prepare: (
    input: { inputType: InputType; data: Uint8Array; maxImages: number | null },
    options: PreparationOptions,
  ) => Promise<PreparedDocument>;
  /** Expands a template with data and prepares the result like `prepare`. @throws ApiError */
  prepareTemplate: (input: TemplateInput, options: PreparationOptions) => Promise<PreparedDocument>;
  /** Finds the errors of a template. @throws ApiError if reading the template takes too long or too much memory */
  analyse: (
    input: { content: string; variables: VariableDeclaration[] },
    options: PreparationOptions,
  ) => Promise<TemplateAnalysis>;
  /** Parses header and footer, see `parseHeaderFooter` in libs/chromium. @throws ApiError */
  parseHeaderFooter: (
    input: { sources: HeaderFooterSources; requestedAt: Date },
    options: PreparationOptions,
  ) => Promise<HeaderFooterContent[]>;
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
    load: pool.load,
    close: async () => pool.close(),
  };
};
