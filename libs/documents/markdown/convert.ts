import type { Token } from 'markdown-it';
import { classify } from '../html/classify.ts';
import { checkPictures } from '../html/pictures.ts';
import { page } from '../page.ts';
import { converted, type Prepared } from '../prepared.ts';
import { refusal } from '../refusal.ts';
import { languageOf } from '../text/language.ts';
import { checkClosed, lineOfLastHtml } from './defects.ts';
import { markdown, titleOf } from './parser.ts';

/** Markdown as a set document. HTML in it decides the lane as it does in an HTML document. Throws a Problem. */
export const convertMarkdown = (text: string, maxImages: number | null): Prepared => {
  const environment = {};
  const tokens = markdown.parse(text, environment);
  checkClosed(tokens);
  const body = markdown.renderer.render(tokens, markdown.options, environment);
  const { classification, finds } = classify(body);
  if (finds.cut) throw unfinished(finds.cut.inside, tokens);
  checkPictures(finds, maxImages);
  const html = page({ title: titleOf(tokens) ?? 'Document', language: languageOf(text), sheets: ['prose', 'code'], body });
  return converted(html, classification);
};

const unfinished = (inside: string, tokens: readonly Token[]) => {
  const line = lineOfLastHtml(tokens);
  return refusal('markdown', `HTML in the Markdown, on line ${line} or before, ends inside ${inside}; everything after that would be lost.`, { details: `unfinished: ${inside}`, line });
};
