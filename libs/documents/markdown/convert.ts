import type { Token } from 'markdown-it';
import type { ApiError } from '#contracts/http/api-error.ts';
import { classify } from '../html/classify.ts';
import { checkImages } from '../html/convert.ts';
import { detectLanguage, htmlDocument } from '../html-document.ts';
import { convertedDocument, type PreparedDocument } from '../prepared-document.ts';
import { inputError } from '../input.ts';
import { markdownParser, titleOf } from './parser.ts';

/**
 * Refuses code fences and HTML comments that are never closed, because they would contain all the rest.
 * @throws ApiError with the line
 */
const checkClosed = (tokens: readonly Token[]): void => {
  for (const token of tokens) {
    const line = (token.map?.[0] ?? 0) + 1;
    if (isOpenFence(token)) throw unclosedError(`a code fence (${token.markup})`, line);
    if (token.type === 'html_block' && endsInComment(token.content))
      throw unclosedError('an HTML comment (<!--)', line + lineOfComment(token.content));
  }
};

/** A code fence in a list or quotation ends with it, so only one at the outermost level is refused. */
const isOpenFence = ({ type, level, map, content, markup }: Token): boolean => {
  if (type !== 'fence' || level !== 0 || !map) return false;
  const lines = content === '' ? 0 : content.replace(/\n$/, '').split('\n').length;
  const lineCount = map[1] - map[0] - 1;
  return lineCount <= lines && markup !== '';
};

const endsInComment = (html: string): boolean => html.lastIndexOf('<!--') > html.lastIndexOf('-->');

const lineOfComment = (html: string): number => html.slice(0, html.lastIndexOf('<!--')).split('\n').length - 1;

const unclosedError = (what: string, line: number): ApiError =>
  inputError(
    'markdown',
    `The Markdown opens ${what} on line ${line} and never closes it; everything after that would be part of it.`,
    { details: `${what} is not closed`, line },
  );

/** The line of the last piece of HTML, where an unfinished tag or element must be. */
const lineOfLastHtml = (tokens: readonly Token[]): number => {
  const htmlBlock = tokens.findLast(
    ({ type, children }) => type === 'html_block' || children?.some((child) => child.type === 'html_inline'),
  );
  return (htmlBlock?.map?.[0] ?? 0) + 1;
};

/** Converts Markdown. HTML in it decides the render mode as in an HTML document. @throws ApiError */
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
    styleSheets: ['prose', 'code'],
    body,
  });
  return convertedDocument(html, classification);
};

const unfinishedHtmlError = (construct: string, tokens: readonly Token[]) => {
  const line = lineOfLastHtml(tokens);
  return inputError(
    'markdown',
    `HTML in the Markdown, on line ${line} or before, ends inside ${construct}; everything after that would be lost.`,
    { details: `unfinished: ${construct}`, line },
  );
};
