import { type Budget, unlimited } from '../budget.ts';
import { refusal } from '../input.ts';
import type { Prepared } from '../prepared.ts';
import { classify } from './classify.ts';
import { checkPictures } from './pictures.ts';

/** HTML as it was sent, if nothing of it would be lost. Throws a Problem otherwise, and what `budget` throws. */
export const prepareHtml = (html: string, maxImages: number | null, budget: Budget = unlimited): Prepared => {
  const { classification, finds } = classify(html, budget);
  const { cut } = finds;
  if (cut) throw refusal('html', `The HTML ends inside ${cut.inside} that begins on line ${cut.line}; everything after that would be lost.`, { details: `unfinished: ${cut.inside}`, line: cut.line });
  checkPictures(finds, maxImages);
  return { html, classification };
};
