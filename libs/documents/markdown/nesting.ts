import type { MarkdownIt } from 'markdown-it';
import { refusal } from '../refusal.ts';

/** How deep quotations, lists and footnotes may be nested in each other. */
export const deepestNesting = 100;

/** At this level of its own the parser leaves text out without a word. A list and its item are a level each, so that the limit above comes first. */
const parserLevels = 2 * deepestNesting + 2;

const containers = new Set(['blockquote', 'bullet_list', 'ordered_list', 'footnote_reference']);
const ending = /_(open|close)$/;

const tooDeep = (line: number) =>
  refusal('markdown', `The Markdown nests quotations and lists deeper than ${deepestNesting} levels on line ${line}.`, { details: { reason: 'nested too deeply', limit: deepestNesting }, line });

/** Refuses Markdown that is nested deeper than the parser reads, with the line: the text there would be lost. */
export const nesting = (markdown: MarkdownIt): void => {
  markdown.set({ maxNesting: parserLevels });
  markdown.core.ruler.after('block', 'nesting', ({ tokens }) => {
    let depth = 0;
    let line = 1;
    for (const { type, nesting: change, map } of tokens) {
      if (map) line = map[0] + 1;
      if (change !== 0 && containers.has(type.replace(ending, ''))) depth += change;
      if (depth > deepestNesting) throw tooDeep(line);
    }
  });
};
