import { openPool } from './pool.ts';
import type { InputType } from './input-type.ts';
import type { Prepared } from './prepared.ts';
import { withEcho } from './worker/echo.ts';
import type { TemplateInput } from './template.ts';
import type { Variable } from '#contracts/http/templates.ts';
import type { Analysis } from '#libs/templating/analyse.ts';

export type { InputType, Prepared };

/** Turns what callers send into documents for the browser, away from the event loop. */
export type Preparation = {
  /**
   * @param input `data` is the UTF-8 of what the caller sent (the text as sent, or the JSON of an object); `maxImages` null where there is no limit
   * @param options `timeoutMs` from the call on, waiting for a process included
   * @throws Problem
   */
  prepare: (input: { inputType: InputType; data: Uint8Array; maxImages: number | null }, options: { timeoutMs: number }) => Promise<Prepared>;
  /** Fills a template with data and makes a document of it. Otherwise as `prepare`. @throws Problem */
  prepareTemplate: (input: TemplateInput, options: { timeoutMs: number }) => Promise<Prepared>;
  /** What is wrong with a template. @throws Problem where the template takes too long or too much memory to read */
  analyse: (input: { content: string; variables: Variable[] }, options: { timeoutMs: number }) => Promise<Analysis>;
  close: () => Promise<void>;
};

const defaults = { threads: 2, memoryMb: 512 };

/** @param settings `threads`: how many documents are converted at once (2), each in a process of its own; `memoryMb`: the heap limit of each (512 MiB) */
export const openPreparation = (settings: { threads?: number; memoryMb?: number } = {}): Preparation => {
  const { threads, memoryMb } = { ...defaults, ...settings };
  const pool = openPool({ processes: threads, memoryMb });
  return {
    prepare: async (input, options) => withEcho<Prepared>(await pool.run('prepare', input, options), input.data),
    prepareTemplate: (input, options) => pool.run('prepareTemplate', input, options),
    analyse: (input, options) => pool.run('analyse', input, options),
    close: async () => pool.close(),
  };
};
