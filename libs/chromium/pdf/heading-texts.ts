import { z } from 'zod';
import type { Session } from '../cdp/connection.ts';
import { evaluateIfPossible } from '../document/evaluate.ts';

const maxHeadings = 20_000;
const maxTextLength = 500;
/** Of all headings. */
export const maxHeadingLetters = 200_000;
/** Of all headings, before their texts are cut: a heading can be in another one. */
const maxReadLetters = 1_000_000;
/** To count, the browser looks at the styles of each element, which takes some microseconds. */
const maxCountedElements = 50_000;

/** A heading: its text in the document, and what readers see, which includes what a style sheet adds, such as a number. */
export type HeadingText = { text: string; title: string };

const declarations = String.raw`
  const headings = [...document.querySelectorAll('h1,h2,h3,h4,h5,h6,[role="heading"]')].slice(0, ${maxHeadings});
  const added = (heading, place) => {
    const { content, display, visibility } = getComputedStyle(heading, place);
    if (display === 'none' || visibility !== 'visible' || !/["(]/.test(content)) return null;
    return { content, display };
  };`;

/** Runs in the page: the texts of its headings in their order, and whether a style sheet adds to them. */
const readExpression = String.raw`(() => {${declarations}
  const texts = [];
  let [left, unread] = [${maxHeadingLetters}, ${maxReadLetters}];
  for (const heading of headings) {
    const shown = heading.innerText;
    unread -= shown.length;
    if (unread < 0) break;
    const text = shown.replace(/\u00ad/g, '').replace(/\s+/g, ' ').trim().slice(0, ${maxTextLength});
    left -= text.length;
    if (left < 0) break;
    const isAddedTo = (added(heading, '::before') ?? added(heading, '::after')) !== null;
    texts.push({ text: text.toWellFormed(), isAddedTo });
  }
  return texts;
})()`;

/**
 * Runs in the page: what a style sheet puts before and after its headings. Counters have the scopes of CSS Lists 3,
 * section 4.4: one ends with the parent of the element that made it.
 */
const addedExpression = String.raw`(() => {${declarations}
  const stacks = new Map();
  const counterChanges = (text) => [...text.matchAll(/([^\s()]+)\s+(-?\d+)/g)].map(([, key, by]) => [key, Number(by)]);
  const top = (key, depth, change) => {
    const stack = stacks.get(key) ?? stacks.set(key, []).get(key);
    while (stack.length > 0 && stack.at(-1).depth > depth) stack.pop();
    if (stack.length === 0 && change) stack.push({ depth, value: 0 });
    return stack;
  };
  const count = (style, depth) => {
    for (const [key, value] of counterChanges(style.counterReset)) {
      const stack = top(key, depth, false);
      if (stack.at(-1)?.depth === depth) stack.pop();
      stack.push({ depth, value });
    }
    for (const [key, by] of counterChanges(style.counterIncrement)) top(key, depth, true).at(-1).value += by;
    for (const [key, value] of counterChanges(style.counterSet)) top(key, depth, true).at(-1).value = value;
  };
  const letters = (value) => value < 1 ? String(value) :
    (value > 26 ? letters(Math.floor((value - 1) / 26)) : '') + String.fromCharCode(97 + (value - 1) % 26);
  const roman = (value) => {
    if (value < 1 || value > 3999) return String(value);
    const digits = [[1000, 'm'], [900, 'cm'], [500, 'd'], [400, 'cd'], [100, 'c'], [90, 'xc'], [50, 'l'], [40, 'xl'],
      [10, 'x'], [9, 'ix'], [5, 'v'], [4, 'iv'], [1, 'i']];
    let text = '';
    for (const [size, digit] of digits) for (; value >= size; value -= size) text += digit;
    return text;
  };
  const formats = {
    'decimal': String,
    'decimal-leading-zero': (value) => String(value).padStart(2, '0'),
    'lower-alpha': letters,
    'lower-latin': letters,
    'lower-roman': roman,
    'upper-alpha': (value) => letters(value).toUpperCase(),
    'upper-latin': (value) => letters(value).toUpperCase(),
    'upper-roman': (value) => roman(value).toUpperCase(),
  };
  const plain = (text) => text.replace(/\\([\da-f]{1,6}) ?|\\(.)/gi, (_, code, character) =>
    code ? String.fromCodePoint(Number.parseInt(code, 16)) : character);
  const string = '"((?:[^"\\\\]|\\\\[^])*)"';
  const item = new RegExp(
    '\\s*(?:' + string + '|counter\\(([^\\s(),]+)(?:,\\s*([^\\s(),]+))?\\)|counters\\(([^\\s(),]+),\\s*' + string +
      '(?:,\\s*([^\\s(),]+))?\\))\\s*', 'y');
  /** The text of a value of content; '' if it has anything else, such as an image. */
  const textOf = (content, depth) => {
    let text = '';
    // After a slash is what assistive technology says in place of it.
    for (item.lastIndex = 0; item.lastIndex < content.length && content[item.lastIndex] !== '/';) {
      const match = item.exec(content);
      if (!match) return '';
      const [, literal, one, oneStyle, all, between, allStyle] = match;
      const format = formats[oneStyle ?? allStyle ?? 'decimal'];
      if (!format) return '';
      const values = literal === undefined ? top(one ?? all, depth, false).map(({ value }) => format(value)) : [];
      text += literal === undefined
        ? one === undefined ? values.join(plain(between)) : (values.at(-1) ?? format(0))
        : plain(literal);
    }
    return text.replace(/[\ue000-\uf8ff]/g, '');
  };
  const pseudo = (element, place, depth, isHeading) => {
    const style = getComputedStyle(element, place);
    if (style.content === 'none' || style.content === 'normal' || style.display === 'none') return '';
    count(style, depth);
    const found = isHeading ? added(element, place) : null;
    const text = found ? textOf(found.content, depth) : '';
    return text !== '' && found.display !== 'inline' ? ' ' + text + ' ' : text;
  };
  const isHeading = new Set(headings);
  const results = new Map();
  let left = ${maxCountedElements};
  const pending = [{ element: document.documentElement, depth: 0 }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { element, depth, after } = next;
    if (after) {
      const text = pseudo(element, '::after', depth + 1, isHeading.has(element));
      if (text) results.set(element, [results.get(element)?.[0] ?? '', text]);
      continue;
    }
    left -= 1;
    if (left < 0) return [];
    const style = getComputedStyle(element);
    if (style.display === 'none') continue;
    count(style, depth);
    const text = pseudo(element, '::before', depth + 1, isHeading.has(element));
    if (text) results.set(element, [text, '']);
    pending.push({ element, depth, after: true });
    // The name of an input hides a member of its form.
    const children = Reflect.get(Element.prototype, 'children', element);
    for (const child of [...children].reverse()) pending.push({ element: child, depth: depth + 1 });
  }
  return headings.map((heading) => (results.get(heading) ?? ['', '']).map((text) => text.slice(0, ${maxTextLength})));
})()`;

const readHeadings = z
  .array(z.object({ text: z.string().max(maxTextLength), isAddedTo: z.boolean() }))
  .max(maxHeadings);
const readAdded = z.array(z.tuple([z.string().max(maxTextLength), z.string().max(maxTextLength)])).max(maxHeadings);

/**
 * The texts of the headings of a loaded document, in their order; of the first ones if they are too long together. None
 * if the reading fails because of what its scripts changed.
 */
export const readHeadingTexts = async (session: Session): Promise<HeadingText[]> => {
  // Without a time limit of its own: the same document must get the same bookmarks, however busy the machine is.
  const read = async <T>(expression: string, schema: z.ZodType<T[]>): Promise<T[]> =>
    schema.safeParse(await evaluateIfPossible(session, expression)).data ?? [];
  const headings = await read(readExpression, readHeadings);
  const added = headings.some(({ isAddedTo }) => isAddedTo) ? await read(addedExpression, readAdded) : [];
  return headings.map(({ text }, at) => {
    const [before, after] = added[at] ?? ['', ''];
    const title = `${before}${text}${after}`.replaceAll(/\s+/g, ' ').trim().slice(0, maxTextLength);
    return { text, title: title.toWellFormed() };
  });
};
