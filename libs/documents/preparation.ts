import type { EdgeContent } from '#libs/chromium/header-footer/read.ts';
import type { HeaderFooterSources } from '#libs/chromium/header-footer/read.ts';
import { openPool, type PoolLoad, type TaskTerms } from './pool.ts';
import type { InputType } from './input.ts';
import type { Prepared } from './prepared.ts';
import { prepareSmallHtml, prepareSmallTemplate } from './small.ts';
import type { TemplateInput } from './prepare.ts';
import type { Variable } from '#contracts/http/templates.ts';
import type { Analysis } from '#libs/templating/analyse.ts';

export type { InputType, Prepared };

/** How long a task may wait and run, and whose it is. */
export type Terms = TaskTerms;

/**
 * Turns what callers send into documents for the browser: what is small and takes a moment in the calling process, all
 * else away from its event loop.
 */
export type Preparation = {
  /**
   * @param input `data` is the UTF-8 of what the caller sent (the text as sent, or the JSON of an object); `maxImages`
   *   null where there is no limit
   * @throws Problem
   */
  prepare: (input: { inputType: InputType; data: Uint8Array; maxImages: number | null }, terms: Terms) => Promise<Prepared>;
  /** Fills a template with data and makes a document of it. Otherwise as `prepare`. @throws Problem */
  prepareTemplate: (input: TemplateInput, terms: Terms) => Promise<Prepared>;
  /** What is wrong with a template. @throws Problem where the template takes too long or too much memory to read */
  analyse: (input: { content: string; variables: Variable[] }, terms: Terms) => Promise<Analysis>;
  /** Reads header and footer, see `readHeaderFooter` of the browsers. @throws Problem */
  readHeaderFooter: (input: { sources: HeaderFooterSources; requestedAt: Date }, terms: Terms) => Promise<EdgeContent[]>;
  /** What its processes are doing now. */
  load: () => PoolLoad;
  close: () => Promise<void>;
};

const defaults = { threads: 3, memoryMb: 512 };

const begun = <T>(work: Promise<T>, { onBegin }: Terms): Promise<T> => {
  onBegin?.();
  return work;
};

/**
 * @param settings `threads`: how many documents are converted at once (3), each in a process of its own; `memoryMb`:
 * the heap limit of each (512 MiB)
 */
export const openPreparation = (settings: { threads?: number; memoryMb?: number } = {}): Preparation => {
  const { threads, memoryMb } = { ...defaults, ...settings };
  const pool = openPool({ processes: threads, memoryMb });
  return {
    prepare: async (input, terms) =>
      (await begun(prepareSmallHtml(input), terms)) ?? pool.run('prepare', input, terms),
    prepareTemplate: async (input, terms) =>
      (await begun(prepareSmallTemplate(input), terms)) ?? pool.run('prepareTemplate', input, terms),
    analyse: (input, terms) => pool.run('analyse', input, terms),
    readHeaderFooter: (input, terms) => pool.run('readHeaderFooter', input, terms),
    load: pool.load,
    close: async () => pool.close(),
  };
};
