import { escapeMarkup } from '#libs/markup/escape.ts';
import type { MarkdownIt, Token } from 'markdown-it';

type Heading = { level: number; id: string; title: string };

const marker = /^\[(?:toc|\[_?toc_?\])\]$/i;

/** Whether a token is the end of a line: in the source, by a backslash or two spaces, or `<br>`. */
export const isLineEnd = ({ type, content }: Token): boolean =>
  type === 'softbreak' || type === 'hardbreak' || (type === 'html_inline' && /^<br\b/i.test(content));

/** Links and footnotes in a heading are left out: an entry of the contents is a link itself. */
const titleTokens = (children: readonly Token[]): Token[] =>
  children.filter(
    (token) =>
      isLineEnd(token) || !['link_open', 'link_close', 'footnote_ref', 'image', 'html_inline'].includes(token.type),
  );

const headingsOf = (tokens: readonly Token[], renderInline: (children: Token[]) => string): Heading[] =>
  tokens.flatMap((token, index) => {
    const id = token.type === 'heading_open' ? String(token.attrGet('id') ?? '') : '';
    if (id === '') return [];
    const title = renderInline(titleTokens(tokens[index + 1]?.children ?? []));
    return title.trim() === '' ? [] : [{ level: Number(token.tag.slice(1)), id, title }];
  });

/** A single heading of level 1 is the title of the document, which is not part of its contents. */
const withoutTitle = (headings: Heading[]): Heading[] => {
  const titles = headings.filter(({ level }) => level === 1);
  return titles.length === 1 && headings.length > 1 ? headings.filter(({ level }) => level > 1) : headings;
};

const shownLevels = 3;
/** Further markers stay text, because each table is as long as all headings. */
const maxTables = 10;

const contentsHtml = (headings: Heading[]): string => {
  const top = Math.min(...headings.map(({ level }) => level));
  const shown = headings.filter(({ level }) => level < top + shownLevels);
  const entries = shown.map(
    ({ level, id, title }) =>
      `<li class="level-${level - top + 1}"><a href="#${escapeMarkup(encodeURIComponent(id))}">${title}</a></li>`,
  );
  return `<nav class="toc"><ul>\n${entries.join('\n')}\n</ul></nav>\n`;
};

const isMarker = (token: Token | undefined): boolean =>
  token?.type === 'inline' &&
  marker.test(token.content.trim()) &&
  !token.children?.some(({ type }) => type === 'link_open');

/**
 * Replaces each paragraph `[toc]`, `[TOC]` or `[[toc]]` by the table of contents: links to the headings of three
 * levels. With `contents: true` in the environment, a document without such a paragraph begins with it. For parsers
 * with the anchor plug-in, which gives the headings their ids.
 */
export const tableOfContents = (markdown: MarkdownIt): void => {
  markdown.core.ruler.push('contents', ({ tokens, env, Token: TokenClass }) => {
    const isAtStart = (env as { contents?: boolean }).contents === true;
    if (!isAtStart && !tokens.some((token) => isMarker(token))) return;
    // The headings are rendered a second time here, and their errors must not be counted twice.
    const ownEnvironment = { ...(env as object), mathErrors: [] };
    const headings = withoutTitle(
      headingsOf(tokens, (children) => markdown.renderer.renderInline(children, markdown.options, ownEnvironment)),
    );
    const html = headings.length === 0 ? '' : contentsHtml(headings);
    const createContents = (map: Token['map'], level: number): Token =>
      Object.assign(new TokenClass('contents', 'nav', 0), { block: true, content: html, map, level });
    const markers = tokens.flatMap((token, index) =>
      isMarker(token) && tokens[index - 1]?.type === 'paragraph_open' ? [index] : [],
    );
    for (const index of markers.slice(0, maxTables).toReversed())
      tokens.splice(index - 1, 3, createContents(tokens[index]!.map, tokens[index - 1]!.level));
    // After the title, if the document begins with it.
    if (isAtStart && markers.length === 0) tokens.splice(tokens[0]?.tag === 'h1' ? 3 : 0, 0, createContents([0, 1], 0));
  });
  markdown.renderer.rules['contents'] = (tokens, index) => tokens[index]!.content;
};
