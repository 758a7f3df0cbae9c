import { escapeMarkup } from '#libs/markup/escape.ts';

/**
 * A start tag, an end tag, and what may hide text that looks like one: comments, CDATA, instructions. A name ends where
 * its characters end, so that a long name without an end of its tag is read once.
 */
const tokens = new RegExp(
  String.raw`<!--[^]*?(?:-->|$)|<!\[CDATA\[([^]*?)(?:\]\]>|$)|<\?[^]*?(?:\?>|$)|` +
    String.raw`<(\/?)([^\s<>!?/"'=]+)(?![^\s<>!?/"'=])((?:"[^"]*"|'[^']*'|[^<>"'])*)>`,
  'g',
);
// Begins at the start of a name only, so that a long name without a value is read once.
const attributes = /(?<![^\s="'<>/])([^\s="'<>/]+)\s*=\s*("[^"]*"|'[^']*')/g;

/** The name without its prefix: the prefix of a namespace is the choice of the document. */
export const localNameOf = (name: string): string => name.slice(name.indexOf(':') + 1);

const characterOf = (codePoint: number): string => (codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : '\uFFFD');

/** Replaces references by characters. The number of no character becomes the replacement character. */
export const decodeReferences = (text: string): string =>
  text.replace(/&(#x[\da-f]+|#\d+|\w+);/gi, (whole, name: string) => {
    if (/^#x/i.test(name)) return characterOf(Number.parseInt(name.slice(2), 16));
    if (name.startsWith('#')) return characterOf(Number(name.slice(1)));
    return { quot: '"', amp: '&', lt: '<', gt: '>', apos: "'" }[name] ?? whole;
  });

/** `local` is the name of the attribute without its prefix, `value` its value with the references replaced. */
export type Attribute = { local: string; value: string };

/** The values of the attributes of this name, whatever their prefix and case: usually one. */
export const valuesOf = (tag: string, local: string): string[] =>
  [...tag.matchAll(attributes)]
    .filter(([, name]) => localNameOf(name!).toLowerCase() === local.toLowerCase())
    .map(([, , value]) => decodeReferences(value!.slice(1, -1)));

/** Empties the attributes of a start tag that `isKept` does not accept. */
export const keepAttributes = (tag: string, isKept: (attribute: Attribute) => boolean): string =>
  tag.replace(attributes, (whole, name: string, value: string) =>
    /^xmlns(?::|$)/.test(name) || isKept({ local: localNameOf(name), value: decodeReferences(value.slice(1, -1)) })
      ? whole
      : `${name}=""`,
  );

const otherWriting = /=\s*'|\s=|=\s/;

/** The start tag with its attributes written as `name="value"`: without other quotes, and without spaces. */
export const withDoubleQuotes = (tag: string): string =>
  otherWriting.test(tag)
    ? tag.replace(attributes, (_, name: string, value: string) => {
        const text = value.slice(1, -1).replaceAll('"', '&quot;');
        return `${name}="${text}"`;
      })
    : tag;

/**
 * Passes each start tag with its local name to `edit`, and replaces it by the result. Removes comments and processing
 * instructions, and turns CDATA into plain text. The result has `<` and `>` only at its tags.
 */
export const editTags = (xml: string, edit: (local: string, tag: string) => string): string =>
  xml.replace(tokens, (token, data: string | undefined, slash: string, name: string | undefined, rest = '') => {
    if (data !== undefined) return escapeMarkup(data);
    if (name === undefined) return /^<\?xml\s/i.test(token) ? token : '';
    if (slash) return token;
    return edit(localNameOf(name), rest.includes('>') ? `<${name}${rest.replaceAll('>', '&gt;')}>` : token);
  });
