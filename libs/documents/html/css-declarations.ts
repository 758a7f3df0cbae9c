import { tokensOf } from './css-tokens.ts';

/** The kinds of blocks that a reader tells apart; null is a block whose content it does not need. */
type Reader<Block> = {
  outermost: Block;
  /** @param prelude what stands before the block, without comments */
  blockIn: (outer: Block, prelude: string) => Block | null;
  /**
   * Called for each declaration, and for rules without a block. Strings and URLs in it are empty. `blockNumber` tells the
   * blocks of one kind apart.
   */
  visit: (block: Block, declaration: string, blockNumber: number) => void;
};

/** What is read of a token if not its text. */
const replacements = new Map([
  ...['comment-token', 'CDO-token', 'CDC-token'].map((type) => [type, ' '] as const),
  ...['string-token', 'bad-string-token', 'url-token', 'bad-url-token'].map((type) => [type, '""'] as const),
]);

/** Reads the declarations of a style sheet, or of a style attribute, in their order. */
export const visitDeclarations = <Block extends string>(
  css: string,
  { outermost, blockIn, visit }: Reader<Block>,
): void => {
  const outer: { block: Block | null; number: number }[] = [];
  let block: Block | null = outermost;
  let [number, lastNumber] = [0, 0];
  /** A declaration, or what stands before a block. */
  let statement = '';
  const endStatement = (): void => {
    if (block !== null && statement !== '') visit(block, statement, number);
    statement = '';
  };
  for (const { type, start, end } of tokensOf(css)) {
    if (type === '{-token') {
      outer.push({ block, number });
      block = block && blockIn(block, statement);
      number = lastNumber += 1;
      statement = '';
    } else if (type === '}-token') {
      endStatement();
      ({ block, number } = outer.pop() ?? { block: outermost, number: 0 });
    } else if (type === 'semicolon-token') endStatement();
    else if (block !== null) statement += replacements.get(type) ?? css.slice(start, end);
  }
  endStatement();
};
