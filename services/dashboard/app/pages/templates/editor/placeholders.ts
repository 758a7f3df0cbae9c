import { RangeSetBuilder } from '@codemirror/state';
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { isHelperName } from './template-language.ts';

const mark = (name: string): Decoration => Decoration.mark({ class: `hbs-${name}` });
const marks = {
  placeholder: mark('placeholder'),
  comment: mark('comment'),
  keyword: mark('keyword'),
  helper: mark('helper'),
  string: mark('string'),
  number: mark('number'),
  special: mark('special'),
};

const placeholderPattern = /\{\{!--[\s\S]*?--\}\}|\{\{\{?[^{}]*\}?\}\}/g;
const tokenPattern =
  /("[^"]*"|'[^']*')|(@\w+|\bthis\b|\.\.\/)|([#/^]\s*\w+|\belse\b|\bas\b)|\b(\d+(?:\.\d+)?)\b|([A-Za-z_]\w*)/g;

type Token = { from: number; to: number; decoration: Decoration };

/** The tokens of a placeholder; positions count from its first character. */
const tokensOf = (text: string): Token[] => {
  if (text.startsWith('{{!')) return [{ from: 0, to: text.length, decoration: marks.comment }];
  return [...text.matchAll(tokenPattern)].flatMap(([token, string, special, keyword, number], index, all): Token[] => {
    const from = all[index]!.index;
    const place = { from, to: from + token.length };
    if (string) return [{ ...place, decoration: marks.string }];
    if (special) return [{ ...place, decoration: marks.special }];
    if (keyword) return [{ ...place, decoration: marks.keyword }];
    if (number) return [{ ...place, decoration: marks.number }];
    return isHelperName(token) && /^[{(]*~?\s*$|\($/.test(text.slice(0, from))
      ? [{ ...place, decoration: marks.helper }]
      : [];
  });
};

/** Placeholders may begin before the visible part. */
const marginCharacters = 2_000;

const decorate = (view: EditorView): DecorationSet => {
  const builder = new RangeSetBuilder<Decoration>();
  let end = 0;
  for (const range of view.visibleRanges) {
    const from = Math.max(end, range.from - marginCharacters);
    const to = Math.min(view.state.doc.length, range.to + marginCharacters);
    for (const match of view.state.sliceDoc(from, to).matchAll(placeholderPattern)) {
      const start = from + match.index;
      builder.add(start, start + match[0].length, marks.placeholder);
      for (const token of tokensOf(match[0])) builder.add(start + token.from, start + token.to, token.decoration);
    }
    end = to;
  }
  return builder.finish();
};

/** Highlights placeholders, wherever they are: in text, in attributes, in CSS. */
export const placeholderHighlighting = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = decorate(view);
    }
    update(update: ViewUpdate): void {
      if (update.docChanged || update.viewportChanged) this.decorations = decorate(update.view);
    }
  },
  { decorations: ({ decorations }) => decorations },
);
