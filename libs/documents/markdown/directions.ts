import type { MarkdownIt } from 'markdown-it';

const own = new Set(['bullet_list_open', 'ordered_list_open', 'blockquote_open', 'table_open']);

/** Each list, quotation and table runs in the direction of its own text, markers and borders included. */
export const directions = (markdown: MarkdownIt): void => {
  markdown.core.ruler.push('directions', ({ tokens }) => {
    for (const token of tokens) if (own.has(token.type)) token.attrSet('dir', 'auto');
  });
};
