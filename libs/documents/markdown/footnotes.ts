import type { MarkdownIt } from 'markdown-it';
import footnote from 'markdown-it-footnote';

type Note = { content: string; tokens: object[] };
type Notes = { footnotes?: { list?: Note[] } };

/** Footnotes. The plug-in would give the same number to an inline footnote and to what stands within it, and so lose the text of the inner one: here the outer one has its number first. */
export const footnotes = (markdown: MarkdownIt): void => {
  markdown.use(footnote);
  markdown.inline.ruler.at('footnote_inline', (state, silent) => {
    const { src, pos, posMax } = state;
    if (!src.startsWith('^[', pos) || pos + 2 >= posMax) return false;
    const end = state.md.helpers.parseLinkLabel(state, pos + 1);
    if (end < 0) return false;
    if (!silent) {
      const known = ((state.env as Notes).footnotes ??= {});
      const note: Note = { content: src.slice(pos + 2, end), tokens: [] };
      const id = (known.list ??= []).push(note) - 1;
      state.md.inline.parse(note.content, state.md, state.env, note.tokens as typeof state.tokens);
      state.push('footnote_ref', '', 0).meta = { id };
    }
    state.pos = end + 1;
    state.posMax = posMax;
    return true;
  });
};
