import { ident, string, url as cssUrl } from 'css-tree/dist/csstree.esm';
import { type CssToken, tokensOf } from '../html/css-tokens.ts';

/** What refers to another file in CSS. `import` is the URL of a style sheet. */
export type CssUrlKind = 'import' | 'resource';

const isBlank = ({ type }: CssToken): boolean => type === 'whitespace-token' || type === 'comment-token';
const opening = new Set(['(-token', '[-token', '{-token', 'function-token']);
const closing = new Set([')-token', ']-token', '}-token']);
const urlFunctions = new Set(['url', 'src']);
const imageSetFunctions = new Set(['image-set', '-webkit-image-set']);

/**
 * A URL in the CSS, and the range of the text that stands for it: `url(...)`, or a string. `face` is the number of the
 * `@font-face` that it is in.
 */
type CssUrl = { url: string; kind: CssUrlKind; start: number; end: number; face: number | undefined };

/** Finds the URLs that a style sheet or a list of declarations refers to. */
const findUrls = (css: string, tokens: readonly CssToken[]): CssUrl[] => {
  const urls: CssUrl[] = [];
  const functions: string[] = [];
  let atRule: string | undefined;
  let face: number | undefined;
  const text = ({ start, end }: CssToken): string => css.slice(start, end);
  const kindOf = (): CssUrlKind => (atRule === 'import' ? 'import' : 'resource');
  const add = (url: string, start: number, end: number): void => {
    if (atRule !== 'namespace') urls.push({ url, kind: kindOf(), start, end, face });
    // Only the first URL of an @import is the style sheet.
    if (atRule === 'import') atRule = undefined;
  };

  tokens.forEach((token, index) => {
    const { type, start, end } = token;
    if (type === 'at-keyword-token') atRule = ident.decode(text(token).slice(1)).toLowerCase();
    else if (type === 'url-token') add(cssUrl.decode(text(token)), start, end);
    else if (type === 'string-token') {
      const inFunction = functions.at(-1);
      const isUrl = inFunction === undefined ? atRule === 'import' : imageSetFunctions.has(inFunction);
      if (isUrl) add(string.decode(text(token)), start, end);
      else if (inFunction !== undefined && urlFunctions.has(inFunction)) {
        const [open, close] = [nearest(tokens, index, -1), nearest(tokens, index, 1)];
        if (open?.type === 'function-token' && close?.type === ')-token')
          add(string.decode(text(token)), open.start, close.end);
      }
    }
    if (type === 'function-token') functions.push(ident.decode(text(token).slice(0, -1)).toLowerCase());
    else if (opening.has(type)) functions.push('');
    else if (closing.has(type)) functions.pop();
    if (type === '{-token' && atRule === 'font-face') face = index;
    else if (type === '}-token') face = undefined;
    // An at-rule begins its block, or ends.
    if (type === 'semicolon-token' || type === '{-token' || type === '}-token') atRule = undefined;
  });
  return urls;
};

/** The next token in a direction that is neither white space nor a comment. */
const nearest = (tokens: readonly CssToken[], index: number, step: 1 | -1): CssToken | undefined => {
  let at = index + step;
  while (tokens[at] && isBlank(tokens[at]!)) at += step;
  return tokens[at];
};

/** A face names about five formats. More would make a style sheet slow whose only face has many URLs. */
const maxAlternatives = 20;

/**
 * Replaces URLs in CSS. `replace` returns the new URL, without quotation marks, parentheses and backslashes, or
 * undefined to leave it; `alternatives` are the URLs of the same `@font-face`, of which a browser loads one. All else
 * stays as it is; with `onOneLine` white space becomes spaces, so that the CSS has no line breaks outside strings.
 */
export const replaceCssUrls = (
  css: string,
  replace: (url: string, kind: CssUrlKind, alternatives: readonly string[]) => string | undefined,
  { onOneLine = false } = {},
): string => {
  const tokens = tokensOf(css);
  const edits = new Map<number, { end: number; text: string }>();
  const urls = findUrls(css, tokens);
  const faces = Map.groupBy(urls, ({ face }) => face);
  for (const { url, kind, start, end, face } of urls) {
    const alternatives =
      face === undefined
        ? []
        : faces
            .get(face)!
            .slice(0, maxAlternatives)
            .map((one) => one.url);
    const replacement = replace(url, kind, alternatives);
    if (replacement !== undefined) edits.set(start, { end, text: `url("${replacement}")` });
  }
  if (edits.size === 0 && !onOneLine) return css;
  let written = '';
  let until = 0;
  for (const token of tokens) {
    if (token.start < until) continue;
    const edit = edits.get(token.start);
    if (edit) written += edit.text;
    else if (onOneLine && token.type === 'whitespace-token') written += ' ';
    else if (onOneLine && token.type === 'comment-token') written += '/**/';
    else written += css.slice(token.start, token.end);
    until = edit?.end ?? token.end;
  }
  return written;
};
