import { setImmediate as nextTurn } from 'node:timers/promises';
import { createBudget } from './budget.ts';
import { prepareHtml } from './html/convert.ts';
import { expandTemplate, type DocumentInput, type TemplateInput } from './prepare.ts';
import type { PreparedDocument } from './prepared-document.ts';
import { decodeText } from './text/decode.ts';

/**
 * The limits for preparing a document in the calling process. The worst document within them blocks the event loop for
 * less than 10 ms; an ordinary invoice, which takes 1 ms, is far below all of them.
 */
const smallDocumentLimits = {
  /** Bytes of a document or of template data; characters of a template. */
  inputBytes: 16_384,
  /** Bytes of an expanded template. */
  outputBytes: 24_576,
  template: { tags: 200, tagCharacters: 2_000, depth: 10, parentheses: 10, steps: 3_000 },
  /** Budget units for reading the HTML, see `classify`. */
  classifyUnits: 1_500,
};

/** Undefined if the work fails for any reason; it is then repeated in a worker process, which reports the error. */
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

/** Prepares HTML in the calling process; undefined if it is not small or cannot be prepared. */
export const prepareSmallHtml = async (input: DocumentInput): Promise<PreparedDocument | undefined> => {
  const { inputType, data, maxImages, isFile, assets, baseUrl } = input;
  if (inputType !== 'html' || assets || baseUrl !== undefined || data.byteLength > smallDocumentLimits.inputBytes)
    return undefined;
  return tryOrUndefined(() => prepareWithinBudget(decodeText('html', data, isFile), maxImages));
};

/** Prepares a template in the calling process; undefined if it is not small or cannot be prepared. */
export const prepareSmallTemplate = async (input: TemplateInput): Promise<PreparedDocument | undefined> => {
  if (input.assets || input.baseUrl !== undefined) return undefined;
  if (input.data.byteLength > smallDocumentLimits.inputBytes || input.content.length > smallDocumentLimits.inputBytes)
    return undefined;
  const html = await tryOrUndefined(() =>
    expandTemplate(input, { maxOutputBytes: smallDocumentLimits.outputBytes, limits: smallDocumentLimits.template }),
  );
  return html === undefined ? undefined : tryOrUndefined(() => prepareWithinBudget(html, input.maxImages));
};
