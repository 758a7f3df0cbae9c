import { parseWithHandlers } from './html-parser.ts';

/**
 * Input that ends inside a construct, which then contains all the rest. `line` counts from 1 and is where the construct
 * begins.
 */
export type UnfinishedInput = { inside: string; line: number };

const unfinishedConstructs: Record<string, string> = {
  'eof-in-tag': 'a tag',
  'eof-in-comment': 'a comment',
  'eof-in-bogus-comment': '"<!", "<?" or "</" without ">"',
  'eof-in-doctype': 'the doctype',
  'eof-in-cdata': 'a CDATA section',
};
const textElementErrors = new Set([
  'eof-in-element-that-can-contain-only-text',
  'eof-in-script-html-comment-like-text',
]);

/** Whether a parse error of the HTML standard says that the input ends inside a construct. */
export const isUnfinishedError = (code: string): boolean => code in unfinishedConstructs || textElementErrors.has(code);

/** Parses the input again with positions, to find the unfinished construct. */
export const locateUnfinishedInput = (html: string): UnfinishedInput | undefined => {
  let opened = { tagName: 'text', line: 1 };
  let unfinished: UnfinishedInput | undefined;
  parseWithHandlers(html, true, {
    onTag: ({ tagName, location }) => (opened = { tagName, line: location?.startLine ?? 1 }),
    onError: (code, parser, comment) => {
      if (unfinished || !isUnfinishedError(code)) return;
      unfinished = textElementErrors.has(code)
        ? { inside: `${opened.tagName === 'iframe' ? 'an' : 'a'} ${opened.tagName} element`, line: opened.line }
        : {
            inside: unfinishedConstructs[code] ?? 'markup',
            line: comment?.location?.startLine ?? tokenLine(parser.tokenizer) ?? parser.tokenizer.preprocessor.line,
          };
    },
  });
  return unfinished;
};

// Parser and tokenizer know where the current token began, but their types hide it.
const tokenLine = (tokenizer: object): number | undefined => {
  const token: unknown = Reflect.get(tokenizer, 'currentToken');
  return (token as { location?: { startLine: number } | null } | null)?.location?.startLine;
};
