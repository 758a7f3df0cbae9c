export type Direction = 'ltr' | 'rtl';

const firstLetter = /\p{L}/u;
/** The blocks that Unicode has for letters from right to left. */
const isRightToLeft = /^[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** The direction of the first letter of a text; null without letters. */
export const directionOfText = (text: string): Direction | null => {
  const letter = firstLetter.exec(text)?.[0];
  return letter === undefined ? null : isRightToLeft.test(letter) ? 'rtl' : 'ltr';
};

const tagOrText = /<[^<>]*>?|[^<]+/g;
const withoutText = /^<(script|style)\b/i;
const entity = /&#?\w+;/g;

/**
 * The direction of the first letter in the text of HTML; null without letters. Documents name it, because a browser that
 * looks for it (`dir="auto"`) does so again for every element inside, which takes seconds for thousands of them.
 */
export const directionOfHtml = (html: string): Direction | null => {
  tagOrText.lastIndex = 0;
  for (let match = tagOrText.exec(html); match; match = tagOrText.exec(html)) {
    const [part] = match;
    const name = withoutText.exec(part)?.[1];
    if (name !== undefined) {
      const end = html.indexOf(`</${name}`, tagOrText.lastIndex);
      if (end === -1) return null;
      tagOrText.lastIndex = end;
    }
    const direction = part.startsWith('<') ? null : directionOfText(part.replace(entity, ' '));
    if (direction) return direction;
  }
  return null;
};
