import { Tokenizer, TokenizerMode } from 'parse5';

export type Direction = 'ltr' | 'rtl';

const firstLetter = /\p{L}/u;
/** The blocks that Unicode has for letters from right to left. */
const isRightToLeft = /^[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** The direction of the first letter of a text; null without letters. */
export const directionOfText = (text: string): Direction | null => {
  const letter = firstLetter.exec(text)?.[0];
  return letter === undefined ? null : isRightToLeft.test(letter) ? 'rtl' : 'ltr';
};

/**
 * Decides the directions of blocks in each other: that of the first letter of its own text, else of the first one in a
 * block inside it, else `ltr`. Documents name directions, because a browser that looks for them (`dir="auto"`) does so
 * again at every element, which takes seconds for thousands of them. `decide` is called at the end of each block.
 */
export const directionsOfBlocks = <Block>(decide: (block: Block, direction: Direction) => void) => {
  const open: { block: Block; own: Direction | null; inner: Direction | null }[] = [];
  return {
    begin: (block: Block): void => void open.push({ block, own: null, inner: null }),
    /** Text of the block that began last and has not ended. */
    addText: (direction: Direction | null): void => {
      const current = open.at(-1);
      if (current) current.own ??= direction;
    },
    end: (): void => {
      const ended = open.pop();
      if (!ended) return;
      const direction = ended.own ?? ended.inner;
      decide(ended.block, direction ?? 'ltr');
      const outer = open.at(-1);
      if (outer) outer.inner ??= direction;
    },
  };
};

const withoutText = new Set(['script', 'style']);
const withoutEnd = new Set([
  'area',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'source',
  'track',
  'wbr',
]);

/**
 * The direction of HTML: that of the first letter of its text outside of elements with a direction of their own, else of
 * the first one inside of them; null without letters.
 */
export const directionOfHtml = (html: string): Direction | null => {
  let own: Direction | null = null;
  let inner: Direction | null = null;
  let skipped: { name: string; depth: number } | null = null;
  let isText = true;
  const ignore = (): void => undefined;
  const tokenizer: Tokenizer = new Tokenizer(
    {},
    {
      onStartTag: ({ tagName, attrs }) => {
        if (withoutText.has(tagName)) {
          tokenizer.state = TokenizerMode.RAWTEXT;
          isText = false;
        } else if (skipped) skipped.depth += skipped.name === tagName ? 1 : 0;
        else if (attrs.some(({ name }) => name === 'dir') && !withoutEnd.has(tagName))
          skipped = { name: tagName, depth: 1 };
      },
      onEndTag: ({ tagName }) => {
        isText = true;
        if (skipped?.name !== tagName) return;
        skipped.depth -= 1;
        if (skipped.depth === 0) skipped = null;
      },
      onCharacter: ({ chars }) => {
        const direction = isText ? directionOfText(chars) : null;
        if (skipped) inner ??= direction;
        else own ??= direction;
      },
      onWhitespaceCharacter: ignore,
      onNullCharacter: ignore,
      onComment: ignore,
      onDoctype: ignore,
      onEof: ignore,
    },
  );
  // Most documents have a letter in their first characters.
  for (let [at, length] = [0, 1024]; own === null && at < html.length; [at, length] = [at + length, length * 2])
    tokenizer.write(html.slice(at, at + length), at + length >= html.length);
  return own ?? inner;
};
