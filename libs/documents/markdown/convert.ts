import type { Token } from 'markdown-it';
import type { Problem } from '#contracts/http/problem.ts';
import { classify } from '../html/classify.ts';
import { checkPictures } from '../html/convert.ts';
import { languageOf, page } from '../page.ts';
import { converted, type Prepared } from '../prepared.ts';
import { refusal } from '../input.ts';
import { markdown, titleOf } from './parser.ts';

/**
 * Refuses code fences and HTML comments that are never closed: they would swallow what follows. Throws a Problem with
 * the line.
 */
const checkClosed = (tokens: readonly Token[]): void => {
  for (const token of tokens) {
    const line = (token.map?.[0] ?? 0) + 1;
    if (isOpenFence(token)) throw unclosed(`a code fence (${token.markup})`, line);
    if (token.type === 'html_block' && endsInComment(token.content)) throw unclosed('an HTML comment (<!--)', line + lineOfComment(token.content));
  }
};

/** A fence within a list or quotation ends with that, so only one at the outermost level swallows anything. */
const isOpenFence = ({ type, level, map, content, markup }: Token): boolean => {
  if (type !== 'fence' || level !== 0 || !map) return false;
  const lines = content === '' ? 0 : content.replace(/\n$/, '').split('\n').length;
  const between = map[1] - map[0] - 1;
  return between <= lines && markup !== '';
};

const endsInComment = (html: string): boolean => html.lastIndexOf('<!--') > html.lastIndexOf('-->');

const lineOfComment = (html: string): number => html.slice(0, html.lastIndexOf('<!--')).split('\n').length - 1;

const unclosed = (what: string, line: number): Problem =>
  refusal('markdown', `The Markdown opens ${what} on line ${line} and never closes it; everything after that would be swallowed.`, { details: `${what} is not closed`, line });

/** The line of the last piece of HTML, which is where an unfinished tag or element must be. */
const lineOfLastHtml = (tokens: readonly Token[]): number => {
  const htmlBlock = tokens.findLast(({ type, children }) => type === 'html_block' || children?.some((child) => child.type === 'html_inline'));
  return (htmlBlock?.map?.[0] ?? 0) + 1;
};

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
