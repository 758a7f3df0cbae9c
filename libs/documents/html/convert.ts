import { refusal } from '../refusal.ts';
import type { Prepared } from '../prepared.ts';
import { type Inspection, inspectHtml } from './inspect.ts';
import { checkPictures } from './pictures.ts';

/** HTML as it was sent, if nothing of it would be lost. Throws a Problem otherwise. */
export const prepareHtml = (html: string, maxImages: number | null): Prepared => {
  const inspection = inspectHtml(html);
  const { cut } = inspection;
  if (cut) throw refusal('html', `The HTML ends inside ${cut.inside} that begins on line ${cut.line}; everything after that would be lost.`, { details: `unfinished: ${cut.inside}`, line: cut.line });
  checkPictures(inspection, maxImages);
  return preparedAs(html, inspection);
};

/** The lane that what was seen in a document asks for. */
export const preparedAs = (html: string, { runs, external, refresh }: Inspection): Prepared => ({
  html,
  lane: runs === undefined ? 'quiet' : 'script',
  laneReason: runs ?? 'nothing that runs',
  external,
  refresh,
});
