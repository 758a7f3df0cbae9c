import type { Token } from 'markdown-it';
import type { ApiError } from '#contracts/http/api-error.ts';
import { classify } from '../html/classify.ts';
import { checkImages } from '../html/convert.ts';
import { detectLanguage, htmlDocument } from '../html-document.ts';
import { convertedDocument, type PreparedDocument } from '../prepared-document.ts';
import { inputError } from '../input.ts';
import { markdownParser, titleOf } from './parser.ts';

/**
 * Refuses code fences and HTML comments that are never closed: they would swallow what follows. Throws a Problem with
 * the line.
 */
const checkClosed = (tokens: readonly Token[]): void => {
  for (const token of tokens) {
    const line = (token.map?.[0] ?? 0) + 1;
    if (isOpenFence(token)) throw unclosedError(`a code fence (${token.markup})`, line);
    if (token.type === 'html_block' && endsInComment(token.content))
      throw unclosedError('an HTML comment (<!--)', line + lineOfComment(token.content));
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

const unclosedError = (what: string, line: number): ApiError =>
  inputError(
    'markdown',
    `The Markdown opens ${what} on line ${line} and never closes it; everything after that would be swallowed.`,
    { details: `${what} is not closed`, line },
  );

/** The line of the last piece of HTML, which is where an unfinished tag or element must be. */
const lineOfLastHtml = (tokens: readonly Token[]): number => {
  const htmlBlock = tokens.findLast(
    ({ type, children }) => type === 'html_block' || children?.some((child) => child.type === 'html_inline'),
  );
  return (htmlBlock?.map?.[0] ?? 0) + 1;
};

/** Markdown as a set document. HTML in it decides the lane as it does in an HTML document. Throws a Problem. */
export const convertMarkdown = (text: string, maxImages: number | null): PreparedDocument => {
  const environment = {};
  const tokens = markdownParser.parse(text, environment);
  checkClosed(tokens);
  const body = markdownParser.renderer.render(tokens, markdownParser.options, environment);
  const { classification, details } = classify(body);
  if (details.unfinished) throw unfinishedHtmlError(details.unfinished.inside, tokens);
  checkImages(details, maxImages);
  const html = htmlDocument({
    title: titleOf(tokens) ?? 'Document',
    language: detectLanguage(text),
    sheets: ['prose', 'code'],
    body,
  });
  return convertedDocument(html, classification);
};

const unfinishedHtmlError = (inside: string, tokens: readonly Token[]) => {
  const line = lineOfLastHtml(tokens);
  return inputError(
    'markdown',
    `HTML in the Markdown, on line ${line} or before, ends inside ${inside}; everything after that would be lost.`,
    { details: `unfinished: ${inside}`, line },
  );
};
