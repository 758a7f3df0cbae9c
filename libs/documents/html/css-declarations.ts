import { tokensOf } from './css-tokens.ts';

/** The kinds of blocks that a reader tells apart; null is a block whose content it does not need. */
type Reader<Block> = {
  outermost: Block;
  /** @param prelude what stands before the block, without comments */
  blockIn: (outer: Block, prelude: string) => Block | null;
  /** Called for each declaration, and for rules without a block. */
  visit: (block: Block, declaration: string) => void;
};

const blank = new Set(['comment-token', 'CDO-token', 'CDC-token']);

/** Reads the declarations of a style sheet, or of a style attribute, in their order. */
export const visitDeclarations = <Block extends string>(
  css: string,
  { outermost, blockIn, visit }: Reader<Block>,
): void => {
  const blocks: (Block | null)[] = [];
  let block: Block | null = outermost;
  /** A declaration, or what stands before a block. */
  let statement = '';
  const endStatement = (): void => {
    if (block !== null && statement !== '') visit(block, statement);
    statement = '';
  };
  for (const { type, start, end } of tokensOf(css)) {
    if (type === '{-token') {
      blocks.push(block);
      block = block && blockIn(block, statement);
      statement = '';
    } else if (type === '}-token') {
      endStatement();
      block = blocks.pop() ?? outermost;
    } else if (type === 'semicolon-token') endStatement();
    else if (block !== null) statement += blank.has(type) ? ' ' : css.slice(start, end);
  }
  endStatement();
};
