import { setImmediate as nextTurn } from 'node:timers/promises';
import { openBudget } from './budget.ts';
import { prepareHtml } from './html/convert.ts';
import { expandTemplate, type PrepareInput, type TemplateInput } from './prepare.ts';
import type { Prepared } from './prepared.ts';
import { decodeText } from './text/decode.ts';

/**
 * What is prepared in the calling process. The bounds are chosen so that the worst document within them holds up the
 * event loop for less than 10 ms, and so that an ordinary invoice, which takes 1 ms, stays far below all of them.
 */
const bounds = {
  /** Bytes of a document, of the data of a template, and characters of a template. */
  input: 16_384,
  /** Bytes that a template expands to. */
  output: 24_576,
  template: { tags: 200, tagCharacters: 2_000, depth: 10, parentheses: 10, steps: 3_000 },
  /** Units that reading the HTML may spend, see `classify`. */
  reading: 1_500,
};

/**
 * Undefined where the attempt fails for whatever reason: then it is made again in a process of the pool, which also
 * says what is wrong.
 */
const attempt = async <T>(work: () => T): Promise<T | undefined> => {
  await nextTurn();
  try {
    return work();
  } catch {
    return undefined;
  }
};

const readWithin = (html: string, maxImages: number | null): Prepared => prepareHtml(html, maxImages, openBudget(bounds.reading));

/** Prepares HTML in the calling process; undefined where it is not small, or cannot be prepared. */
export const prepareSmallHtml = async ({ inputType, data, maxImages }: PrepareInput): Promise<Prepared | undefined> => {
  if (inputType !== 'html' || data.byteLength > bounds.input) return undefined;
  return attempt(() => readWithin(decodeText('html', data), maxImages));
};

/** Fills a template in the calling process; undefined where that is not small, or cannot be done. */
export const prepareSmallTemplate = async (input: TemplateInput): Promise<Prepared | undefined> => {
  if (input.data.byteLength > bounds.input || input.content.length > bounds.input) return undefined;
  const html = await attempt(() => expandTemplate(input, { maxOutputBytes: bounds.output, bounds: bounds.template }));
  return html === undefined ? undefined : attempt(() => readWithin(html, input.maxImages));
};
