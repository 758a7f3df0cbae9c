import { parseWithHandlers } from './html-parser.ts';

/** Input that ends inside something which swallows the rest. `line` counts from 1 and is where that something began. */
export type UnfinishedInput = { inside: string; line: number };

const unfinishedConstructs: Record<string, string> = {
  'eof-in-tag': 'a tag',
  'eof-in-comment': 'a comment',
  'eof-in-doctype': 'the doctype',
  'eof-in-cdata': 'a CDATA section',
};
const textElementErrors = new Set([
  'eof-in-element-that-can-contain-only-text',
  'eof-in-script-html-comment-like-text',
]);

/** True for the parse errors which say that the input ended too early. */
export const isUnfinishedError = (code: string): boolean => code in unfinishedConstructs || textElementErrors.has(code);

/** Reads the input once more, now with positions, to say what it ends in. */
export const locateUnfinishedInput = (html: string): UnfinishedInput | undefined => {
  let opened = { tagName: 'text', line: 1 };
  let cut: UnfinishedInput | undefined;
  parseWithHandlers(html, true, {
    onTag: ({ tagName, location }) => (opened = { tagName, line: location?.startLine ?? 1 }),
    onError: (code, parser) => {
      if (cut || !isUnfinishedError(code)) return;
      cut = textElementErrors.has(code)
        ? { inside: `a ${opened.tagName} element`, line: opened.line }
        : {
            inside: unfinishedConstructs[code] ?? 'markup',
            line: tokenLine(parser.tokenizer) ?? parser.tokenizer.preprocessor.line,
          };
    },
  });
  return cut;
};

// Parser and tokenizer know where the token in hand began, but their types keep that to themselves.
const tokenLine = (holder: object): number | undefined => {
  const token: unknown = Reflect.get(holder, 'currentToken');
  return (token as { location?: { startLine: number } | null } | null)?.location?.startLine;
};
