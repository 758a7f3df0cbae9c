import { setImmediate as nextTurn } from 'node:timers/promises';
import { createBudget } from './budget.ts';
import { prepareHtml } from './html/convert.ts';
import { expandTemplate, type DocumentInput, type TemplateInput } from './prepare.ts';
import type { PreparedDocument } from './prepared-document.ts';
import { decodeText } from './text/decode.ts';

/**
 * What is prepared in the calling process. The bounds are chosen so that the worst document within them holds up the
 * event loop for less than 10 ms, and so that an ordinary invoice, which takes 1 ms, stays far below all of them.
 */
const smallDocumentLimits = {
  /** Bytes of a document, of the data of a template, and characters of a template. */
  inputBytes: 16_384,
  /** Bytes that a template expands to. */
  outputBytes: 24_576,
  template: { tags: 200, tagCharacters: 2_000, depth: 10, parentheses: 10, steps: 3_000 },
  /** Units that reading the HTML may spend, see `classify`. */
  classifyUnits: 1_500,
};

/**
 * Undefined where the attempt fails for whatever reason: then it is made again in a process of the pool, which also
 * says what is wrong.
 */
const tryOrUndefined = async <T>(work: () => T): Promise<T | undefined> => {
  await nextTurn();
  try {
    return work();
  } catch {
    return undefined;
  }
};

const prepareWithinBudget = (html: string, maxImages: number | null): PreparedDocument =>
  prepareHtml(html, maxImages, createBudget(smallDocumentLimits.classifyUnits));

/** Prepares HTML in the calling process; undefined where it is not small, or cannot be prepared. */
export const prepareSmallHtml = async ({
  inputType,
  data,
  maxImages,
}: DocumentInput): Promise<PreparedDocument | undefined> => {
  if (inputType !== 'html' || data.byteLength > smallDocumentLimits.inputBytes) return undefined;
  return tryOrUndefined(() => prepareWithinBudget(decodeText('html', data), maxImages));
};

/** Fills a template in the calling process; undefined where that is not small, or cannot be done. */
export const prepareSmallTemplate = async (input: TemplateInput): Promise<PreparedDocument | undefined> => {
  if (input.data.byteLength > smallDocumentLimits.inputBytes || input.content.length > smallDocumentLimits.inputBytes)
    return undefined;
  const html = await tryOrUndefined(() =>
    expandTemplate(input, { maxOutputBytes: smallDocumentLimits.outputBytes, limits: smallDocumentLimits.template }),
  );
  return html === undefined ? undefined : tryOrUndefined(() => prepareWithinBudget(html, input.maxImages));
};
