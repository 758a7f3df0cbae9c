import hljs from 'highlight.js/lib/common';
import type { MarkdownIt, Token } from 'markdown-it';
import footnote from 'markdown-it-footnote';
import { inputError } from '../input.ts';
import { type Direction, directionOfHtml, directionOfText, directionsOfBlocks } from '../language/direction.ts';

/** The maximum nesting depth of quotations, lists and footnotes. */
export const maxNestingDepth = 100;

/**
 * At this level the parser drops text silently. A list and its item are one level each, so that the limit above is
 * reached first.
 */
const parserLevels = 2 * maxNestingDepth + 2;

const containers = new Set(['blockquote', 'bullet_list', 'ordered_list', 'dl', 'footnote_reference']);
const tokenSuffix = /_(open|close)$/;

const nestedTooDeeplyError = (line: number) =>
  inputError(
    'markdown',
    `The Markdown nests quotations and lists deeper than ${maxNestingDepth} levels on line ${line}.`,
    { details: { reason: 'nested too deeply', limit: maxNestingDepth }, line },
  );

/** Refuses Markdown that is nested deeper than the parser reads, because its text would be lost. */
export const limitNesting = (markdown: MarkdownIt): void => {
  markdown.set({ maxNesting: parserLevels });
  markdown.core.ruler.after('block', 'nesting', ({ tokens }) => {
    let depth = 0;
    let line = 1;
    for (const { type, nesting: change, map } of tokens) {
      if (map) line = map[0] + 1;
      if (change !== 0 && containers.has(type.replace(tokenSuffix, ''))) depth += change;
      if (depth > maxNestingDepth) throw nestedTooDeeplyError(line);
    }
  });
};

type Footnote = { content: string; tokens: object[] };
type FootnoteEnvironment = { footnotes?: { list?: Footnote[] } };

/**
 * Footnotes. The plug-in gives an inline footnote the same number as a footnote inside it, and so loses the inner text.
 * Here the outer footnote gets its number first. A note that is referred to twice has the same number twice, not `1:1`. On
 * paper there are no links back to the text.
 */
export const footnotes = (markdown: MarkdownIt): void => {
  markdown.use(footnote);
  markdown.renderer.rules['footnote_anchor'] = () => '';
  markdown.renderer.rules['footnote_caption'] = (tokens, index) =>
    `[${(tokens[index]!.meta as { id: number }).id + 1}]`;
  markdown.inline.ruler.at('footnote_inline', (state, silent) => {
    const { src, pos, posMax } = state;
    if (!src.startsWith('^[', pos) || pos + 2 >= posMax) return false;
    const end = state.md.helpers.parseLinkLabel(state, pos + 1);
    if (end < 0) return false;
    if (!silent) {
      const environment = ((state.env as FootnoteEnvironment).footnotes ??= {});
      const note: Footnote = { content: src.slice(pos + 2, end), tokens: [] };
      const id = (environment.list ??= []).push(note) - 1;
      state.md.inline.parse(note.content, state.md, state.env, note.tokens as typeof state.tokens);
      state.push('footnote_ref', '', 0).meta = { id };
    }
    state.pos = end + 1;
    state.posMax = posMax;
    return true;
  });
};

const taskBox = /^\[([ xX])\]\s+/;

/** List items that begin with `[ ]` or `[x]` get a box (task lists, GitHub Flavored Markdown section 5.3). */
export const taskLists = (markdown: MarkdownIt): void => {
  markdown.core.ruler.after('inline', 'task-lists', ({ tokens, Token: TokenClass }) => {
    const lists: Token[] = [];
    tokens.forEach((token, index) => {
      if (token.type === 'bullet_list_open' || token.type === 'ordered_list_open') lists.push(token);
      if (token.type === 'bullet_list_close' || token.type === 'ordered_list_close') lists.pop();
      const text =
        token.type === 'inline' && tokens[index - 2]?.type === 'list_item_open' ? token.children?.[0] : undefined;
      const match = text?.type === 'text' ? taskBox.exec(text.content) : null;
      if (!text || !match) return;
      text.content = text.content.slice(match[0].length);
      const box = new TokenClass('html_inline', '', 0);
      box.content = match[1] === ' ' ? '<span class="task"></span>' : '<span class="task done"></span>';
      token.children?.unshift(box);
      tokens[index - 2]!.attrSet('class', 'task-item');
      const list = lists.at(-1);
      if (list && list.attrGet('class') === null) list.attrSet('class', 'task-list');
    });
  });
};

const withDirection = new Set(['bullet_list', 'ordered_list', 'dl', 'blockquote', 'table']);
/** The text of an alternative for an image, and of tags, is not that of the block. */
const hasNoText = new Set(['image', 'html_inline']);

const directionOf = ({ type, content, children }: Token): Direction | null => {
  if (type === 'html_block') return directionOfHtml(content);
  const parts = children?.filter((child) => !hasNoText.has(child.type)) ?? [{ content }];
  return directionOfText(parts.map((part) => part.content).join(''));
};

/**
 * Each list, quotation and table uses the direction of its own text, including markers and borders. An item without
 * letters is isolated, because the minus of a number would be after it in a list from right to left.
 */
export const directions = (markdown: MarkdownIt): void => {
  markdown.core.ruler.push('directions', ({ tokens, Token: TokenClass }) => {
    const blocks = directionsOfBlocks<Token>((token, direction) => token.attrSet('dir', direction));
    tokens.forEach((token, index) => {
      const isBlock = token.nesting !== 0 && withDirection.has(token.type.replace(tokenSuffix, ''));
      if (isBlock) return token.nesting === 1 ? blocks.begin(token) : blocks.end();
      const direction = directionOf(token);
      blocks.addText(direction);
      if (direction !== null || token.type !== 'inline' || !tokens[index - 1]?.hidden) return;
      const [start, end] = ['<bdi>', '</bdi>'].map((content) =>
        Object.assign(new TokenClass('html_inline', '', 0), { content }),
      );
      token.children = [start!, ...(token.children ?? []), end!];
    });
  });
};

/** URLs in the text, which are links to themselves, are not hyphenated. */
export const verbatimUrls = (markdown: MarkdownIt): void => {
  markdown.renderer.rules['link_open'] = (tokens, index, options, _, renderer) => {
    const link = tokens[index]!;
    if (link.info === 'auto') link.attrSet('class', 'verbatim');
    return renderer.renderToken(tokens, index, options);
  };
};

/** The id of a heading as on GitHub: its letters and digits in lower case, joined by hyphens. */
const slugify = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, '')
    .replace(/\s+/g, '-');

const counts = new WeakMap<object, Map<string, number>>();

/**
 * The id of a heading, unique in its document; the second of the same text ends in `-1`. They are counted here, because
 * the anchor plug-in tries all numbers for every repeated heading.
 * @param document identifies the document: the environment of one parse
 */
export const headingId = (heading: string, document: object): string => {
  const documentCounts = counts.get(document) ?? new Map<string, number>();
  counts.set(document, documentCounts);
  const slug = slugify(heading);
  const count = documentCounts.get(slug) ?? 0;
  documentCounts.set(slug, count + 1);
  return count === 0 ? slug : `${slug}-${count}`;
};

const maxHighlightedLength = 200_000;

/**
 * The HTML of highlighted code, or an empty string (not highlighted) if the language is unknown or the code very long.
 */
export const highlight = (code: string, language: string): string =>
  language !== '' && code.length <= maxHighlightedLength && hljs.getLanguage(language)
    ? hljs.highlight(code, { language, ignoreIllegals: true }).value
    : '';
