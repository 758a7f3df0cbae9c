import { tokenize, tokenNames } from 'css-tree/dist/csstree.esm';

export type CssToken = { type: string; start: number; end: number };

/** The tokens of a style sheet or of declarations (CSS Syntax 3, 4). */
export const tokensOf = (css: string): CssToken[] => {
  const tokens: CssToken[] = [];
  tokenize(css, (type, start, end) => tokens.push({ type: tokenNames[type]!, start, end }));
  return tokens;
};
