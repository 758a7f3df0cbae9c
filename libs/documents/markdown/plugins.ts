import hljs from 'highlight.js/lib/common';
import type { MarkdownIt, Token } from 'markdown-it';
import footnote from 'markdown-it-footnote';
import { inputError } from '../input.ts';

/** How deep quotations, lists and footnotes may be nested in each other. */
export const maxNestingDepth = 100;

/**
 * At this level of its own the parser leaves text out without a word. A list and its item are a level each, so that the
 * limit above comes first.
 */
const parserLevels = 2 * maxNestingDepth + 2;

const containers = new Set(['blockquote', 'bullet_list', 'ordered_list', 'footnote_reference']);
const ending = /_(open|close)$/;

const nestedTooDeeplyError = (line: number) =>
  inputError(
    'markdown',
    `The Markdown nests quotations and lists deeper than ${maxNestingDepth} levels on line ${line}.`,
    { details: { reason: 'nested too deeply', limit: maxNestingDepth }, line },
  );

/** Refuses Markdown that is nested deeper than the parser reads, with the line: the text there would be lost. */
export const limitNesting = (markdown: MarkdownIt): void => {
  markdown.set({ maxNesting: parserLevels });
  markdown.core.ruler.after('block', 'nesting', ({ tokens }) => {
    let depth = 0;
    let line = 1;
    for (const { type, nesting: change, map } of tokens) {
      if (map) line = map[0] + 1;
      if (change !== 0 && containers.has(type.replace(ending, ''))) depth += change;
      if (depth > maxNestingDepth) throw nestedTooDeeplyError(line);
    }
  });
};

type Footnote = { content: string; tokens: object[] };
type FootnoteEnvironment = { footnotes?: { list?: Footnote[] } };

/**
 * Footnotes. The plug-in would give the same number to an inline footnote and to what stands within it, and so lose the
 * text of the inner one: here the outer one has its number first.
 */
export const footnotes = (markdown: MarkdownIt): void => {
  markdown.use(footnote);
  markdown.inline.ruler.at('footnote_inline', (state, silent) => {
    const { src, pos, posMax } = state;
    if (!src.startsWith('^[', pos) || pos + 2 >= posMax) return false;
    const end = state.md.helpers.parseLinkLabel(state, pos + 1);
    if (end < 0) return false;
    if (!silent) {
      const known = ((state.env as FootnoteEnvironment).footnotes ??= {});
      const note: Footnote = { content: src.slice(pos + 2, end), tokens: [] };
      const id = (known.list ??= []).push(note) - 1;
      state.md.inline.parse(note.content, state.md, state.env, note.tokens as typeof state.tokens);
      state.push('footnote_ref', '', 0).meta = { id };
    }
    state.pos = end + 1;
    state.posMax = posMax;
    return true;
  });
};

const taskBox = /^\[([ xX])\]\s+/;

/** List items that begin with `[ ]` or `[x]` get a box (task lists, as in GitHub Flavored Markdown section 5.3). */
export const taskLists = (markdown: MarkdownIt): void => {
  markdown.core.ruler.after('inline', 'task-lists', ({ tokens, Token: TokenOf }) => {
    const lists: Token[] = [];
    tokens.forEach((token, index) => {
      if (token.type === 'bullet_list_open' || token.type === 'ordered_list_open') lists.push(token);
      if (token.type === 'bullet_list_close' || token.type === 'ordered_list_close') lists.pop();
      const text =
        token.type === 'inline' && tokens[index - 2]?.type === 'list_item_open' ? token.children?.[0] : undefined;
      const match = text?.type === 'text' ? taskBox.exec(text.content) : null;
      if (!text || !match) return;
      text.content = text.content.slice(match[0].length);
      const drawn = new TokenOf('html_inline', '', 0);
      drawn.content = match[1] === ' ' ? '<span class="task"></span>' : '<span class="task done"></span>';
      token.children?.unshift(drawn);
      const list = lists.at(-1);
      if (list && list.attrGet('class') === null) list.attrSet('class', 'task-list');
    });
  });
};

const directionTokens = new Set(['bullet_list_open', 'ordered_list_open', 'blockquote_open', 'table_open']);

/** Each list, quotation and table runs in the direction of its own text, markers and borders included. */
export const directions = (markdown: MarkdownIt): void => {
  markdown.core.ruler.push('directions', ({ tokens }) => {
    for (const token of tokens) if (directionTokens.has(token.type)) token.attrSet('dir', 'auto');
  });
};

/** The identifier of a heading as GitHub makes it: its letters and digits in lower case, hyphens between. */
const slugify = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, '')
    .replace(/\s+/g, '-');

const counts = new WeakMap<object, Map<string, number>>();

/**
 * The identifier of a heading within one document; the second of the same text ends in `-1`. Counted here, because the
 * anchor plug-in tries all numbers from the first for every repeated heading.
 * @param document what stands for the document: the environment of one parse
 */
export const headingId = (heading: string, document: object): string => {
  const counted = counts.get(document) ?? new Map<string, number>();
  counts.set(document, counted);
  const slug = slugify(heading);
  const times = counted.get(slug) ?? 0;
  counted.set(slug, times + 1);
  return times === 0 ? slug : `${slug}-${times}`;
};

const maxHighlightedLength = 200_000;

/**
 * The HTML of highlighted code, or an empty string, which stands for plain, where the language is not known or the code
 * very long.
 */
export const highlight = (code: string, language: string): string =>
  language !== '' && code.length <= maxHighlightedLength && hljs.getLanguage(language)
    ? hljs.highlight(code, { language, ignoreIllegals: true }).value
    : '';
