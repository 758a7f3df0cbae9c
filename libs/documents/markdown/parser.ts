import MarkdownIt, { type MarkdownIt as Parser, type Token } from 'markdown-it';
import anchor from 'markdown-it-anchor';
import definitionLists from 'markdown-it-deflist';
import { isLineEnd, tableOfContents } from './contents.ts';
import { findLeftOut } from './left-out.ts';
import { math } from './math.ts';
import { headingId, directions, footnotes, highlight, limitNesting, taskLists, verbatimUrls } from './plugins.ts';
import { quoteStyleOf } from './quotes.ts';

const narrowSpace = '\u202f';

/** Dashes and dots as they are typed, but not the option in `git --version` or the folder in `../a`. */
const replaceDashesAndDots = (text: string): string =>
  text
    .replace(/(^|[^-])---(?=[^-]|$)/g, '$1—')
    .replace(/(^|\s)--(?=\s|$)/g, '$1–')
    .replace(/(^|[^-\s])--(?=[^-\s]|$)/g, '$1–')
    .replace(/(^|[^.])\.\.\.(?!\.)/g, '$1…');

/** A French space before a high punctuation mark must not become a line break. */
const protectFrenchSpaces = (text: string): string =>
  text.replace(/ (?=[;:!?»](?:\s|$))/g, narrowSpace).replace(/« /g, `«${narrowSpace}`);

const withoutAutolinks = function* (tokens: readonly Token[]): Generator<Token> {
  let autolinks = 0;
  for (const token of tokens) {
    if (token.info === 'auto' && token.type === 'link_open') autolinks += 1;
    if (token.info === 'auto' && token.type === 'link_close') autolinks -= 1;
    if (token.type === 'text' && autolinks === 0) yield token;
  }
};

/** Quotation marks of the language, apostrophes, dashes and ellipses. Code and URLs stay unchanged. */
const typography = (markdown: Parser, language: string): void => {
  const quotes = quoteStyleOf(language);
  if (!quotes) return;
  markdown.set({ typographer: true, quotes: [...quotes] });
  // It turns the item (c) of a contract into a copyright sign.
  markdown.disable('replacements');
  const isFrench = /^fr(-|$)/i.test(language);
  markdown.core.ruler.before('smartquotes', 'dashes', ({ tokens }) => {
    for (const { type, children } of tokens)
      if (type === 'inline')
        for (const text of withoutAutolinks(children ?? [])) {
          text.content = replaceDashesAndDots(text.content);
          if (isFrench) text.content = protectFrenchSpaces(text.content);
        }
  });
};

/** An SVG image runs no scripts and fetches nothing. */
const isSvgData = (url: string): boolean => /^data:image\/svg\+xml[;,]/i.test(url.trim());

const createParser = (language: string): Parser => {
  const parser = new MarkdownIt({ html: true, linkify: true, typographer: false, highlight });
  parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  parser.use(limitNesting);
  parser.use(footnotes);
  parser.use(findLeftOut);
  parser.use(definitionLists);
  parser.use(math);
  parser.use(taskLists);
  parser.use(directions);
  parser.use(verbatimUrls);
  parser.use(typography, language);
  // The plug-in's types are for an earlier version of markdown-it.
  parser.use(anchor as unknown as (parser: Parser, options: object) => void, {
    slugifyWithState: (heading: string, { env }: { env: object }) => headingId(heading, env),
    tabIndex: false,
  });
  parser.use(tableOfContents);
  const validateStandardLink = parser.validateLink.bind(parser);
  parser.validateLink = (url) => validateStandardLink(url) || isSvgData(url);
  return parser;
};

const parsers = new Map<string, Parser>();

/**
 * The parser for a language: CommonMark with tables, strike-through, footnotes, task and definition lists, formulas,
 * a table of contents, the typography of the language, heading anchors and highlighted code. HTML is passed through.
 */
export const markdownParser = (language: string): Parser => {
  const key = `${/^fr(-|$)/i.test(language)} ${quoteStyleOf(language)?.join(' ')}`;
  const parser = parsers.get(key) ?? createParser(language);
  parsers.set(key, parser);
  return parser;
};

const textOfToken = (token: Token): string => {
  if (isLineEnd(token)) return ' ';
  return token.type === 'html_inline' ? '' : token.content;
};

/** The text of the first heading of any level, in one line; undefined if there is none, or if it is empty. */
export const titleOf = (tokens: readonly Token[]): string | undefined => {
  const heading = tokens.findIndex(({ type }) => type === 'heading_open');
  const children = (heading < 0 ? undefined : tokens[heading + 1]?.children) ?? [];
  return children.map(textOfToken).join('').replaceAll(/\s+/g, ' ').trim() || undefined;
};
