import type { MarkdownIt, Token } from 'markdown-it';
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
export const typography = (markdown: MarkdownIt, language: string): void => {
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
