import type { Protocol } from 'devtools-protocol';
import { z } from 'zod';
import type { Session } from '../cdp/connection.ts';
import { evaluate } from './evaluate.ts';

const mark = 'data-colophon-added';
const places = ['before', 'after'] as const;
type Place = (typeof places)[number];

/** Letters, digits, and the signs that belong to numbers. Bullets, arrows and quotation marks are decoration. */
const meaningful = /[\p{L}\p{N}\p{Sc}%]/u;

/**
 * Runs in the page. Marks the elements whose style sheets may add text before or after them: all values of `content` but
 * symbols. Text that is fixed is on each page, as a watermark is, and an empty alternative text says that it is decoration.
 * The value is the properties that rules give to what is added, null if a style sheet cannot be read; none if there is no
 * marked element.
 */
const markExpression = String.raw`(() => {
  const properties = new Set();
  const visit = (rule, isInside) => {
    const applies = isInside || /:(before|after)/i.test(rule.selectorText ?? '');
    if (applies) for (const property of rule.style ?? []) properties.add(property);
    for (const inner of rule.styleSheet?.cssRules ?? rule.cssRules ?? []) visit(inner, applies);
  };
  let isReadable = true;
  try {
    for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets])
      for (const rule of sheet.cssRules) visit(rule, false);
  } catch {
    isReadable = false;
  }
  const mayAdd = (element, place) => {
    const { content, position } = getComputedStyle(element, '::' + place);
    return content !== 'none' && content !== 'normal' && ${String(meaningful)}.test(content) &&
      !content.endsWith('/ ""') && position !== 'fixed';
  };
  let count = 0;
  for (const element of isReadable && !properties.has('content') ? [] : document.querySelectorAll('body, body *')) {
    const added = ['before', 'after'].filter((place) => mayAdd(element, place));
    if (added.length === 0 || element.closest('[aria-hidden="true"]')) continue;
    element.setAttribute('${mark}', [count, ...added].join(' '));
    count += 1;
  }
  return count === 0 ? [] : isReadable && !properties.has('all') ? [...properties] : null;
})()`;

type Added = { text: string; box: number[] };
/** What style sheets add to a marked element. */
type AddedTexts = { [P in Place]?: Added };

const isPlace = (value: string | undefined): value is Place => places.some((place) => place === value);

/** The texts with meaning that the browser shows before and after marked elements, by the numbers of the elements. */
const findAddedTexts = ({
  documents: [document],
  strings,
}: Protocol.DOMSnapshot.CaptureSnapshotResponse): Record<string, AddedTexts> => {
  const { nodes, layout } = document!;
  const { parentIndex = [], attributes = [], pseudoType } = nodes;
  const kinds = new Map(pseudoType?.index.map((node, index) => [node, strings[pseudoType.value[index]!]]));
  const shown = new Map<number, Added>();
  layout.nodeIndex.forEach((node, index) => {
    if (!isPlace(kinds.get(node))) return;
    const added = shown.get(node) ?? { text: '', box: layout.bounds[index]! };
    shown.set(node, added);
    added.text += strings[layout.text[index] ?? -1] ?? '';
  });
  const found: Record<string, AddedTexts> = {};
  for (const [node, added] of shown) {
    const parent = attributes[parentIndex[node]!]!.map((index) => strings[index]);
    const [number, ...marked] = parent[parent.indexOf(mark) + 1]?.split(' ') ?? [];
    const place = kinds.get(node) as Place;
    if (parent.includes(mark) && marked.includes(place) && meaningful.test(added.text))
      (found[number!] ??= {})[place] = added;
  }
  return found;
};

/**
 * Runs in the page. Puts elements in place of what style sheets add, with the same text and style. The value is the
 * first element around which that changes the layout or the look; null if there is none.
 */
const replaceExpression = String.raw`((found, declared) => {
  const html = (name) => document.createElementNS('http://www.w3.org/1999/xhtml', name);
  const rules = html('style');
  rules.dataset.colophon = '';
  (document.head ?? document.documentElement).append(rules);
  /** In a layer, what is important outweighs the rules of the document. */
  const setRules = (css) => { rules.textContent = '@layer colophon {' + css + '}'; };

  const hosts = new Map([...document.querySelectorAll('[${mark}]')].map((element) =>
    [element.getAttribute('${mark}').split(' ')[0], element]));
  const added = Object.entries(found).flatMap(([number, texts]) =>
    Object.entries(texts).map(([place, { text, box }]) => ({ element: hosts.get(number), place, text, box })));

  const boxOf = (node) => {
    const range = node.getBoundingClientRect ? node : document.createRange();
    if (range !== node) range.selectNode(node);
    const { x, y, width, height } = range.getBoundingClientRect();
    return [x + scrollX, y + scrollY, width, height];
  };
  const isAt = (node, box) => boxOf(node).every((value, at) => Math.abs(value - box[at]) < 0.5);
  // Another first child can change more than places, because of rules with :first-child, :empty or +.
  const lookOf = (node) => {
    if (!node.getBoundingClientRect || !node.closest('[${mark}]')) return '';
    const style = getComputedStyle(node);
    return [style.color, style.backgroundColor, style.backgroundImage, style.borderTopColor, style.borderBottomColor,
      style.fontWeight, style.fontStyle, style.textDecorationLine, style.opacity, style.visibility].join();
  };
  const before = [];
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = nodes.currentNode; node; node = nodes.nextNode())
    if (node.localName || node.parentElement.closest('[${mark}]'))
      before.push({ node, box: boxOf(node), look: lookOf(node) });

  const isLength = (property) =>
    /^(width|height|inline-size|block-size|max-|min-|top|right|bottom|left|inset|margin|padding|grid-template)|-origin$/
      .test(property);
  const properties = [...new Set([...(declared ?? getComputedStyle(document.body)), 'display', 'direction', 'unicode-bidi'])]
    .filter((property) => !/^(--|animation|transition|content$)/.test(property));
  const readStyles = (names) => {
    for (const one of added) {
      const style = getComputedStyle(one.element, '::' + one.place);
      one.css = (one.css ?? 'all: unset !important;') +
        names.map((name) => name + ':' + style.getPropertyValue(name) + '!important;').join('');
    }
  };
  readStyles(properties.filter((property) => !isLength(property)));
  // What has no box has its lengths as percentages and auto.
  setRules('*::before, *::after { display: none !important }');
  readStyles(properties.filter(isLength));

  for (const one of added) {
    one.copy = html('colophon-text');
    one.copy.textContent = one.text;
    one.copy.style.cssText = one.css;
    if (one.place === 'before') one.element.prepend(one.copy); else one.element.append(one.copy);
  }
  for (const { element } of added) element.setAttribute('${mark}', '');
  for (const { element, place } of added) element.setAttribute('${mark}', element.getAttribute('${mark}') + ' ' + place);
  setRules(['before', 'after'].map((place) =>
    '[${mark}~=' + place + ']::' + place + '{ content: none !important }').join('') +
    'colophon-text::before, colophon-text::after { content: none !important }');

  const moved = added.find(({ copy, box }) => !isAt(copy, box))?.copy ??
    before.find(({ node, box, look }) => !isAt(node, box) || lookOf(node) !== look)?.node;
  if (!moved) return null;
  const parent = moved.localName ? moved : moved.parentElement;
  const { localName, id } = parent.closest('[${mark}]') ?? parent.querySelector('[${mark}]') ?? parent;
  return id ? localName + '#' + id.slice(0, 100) : localName;
})`;

const readProperties = z.array(z.string()).nullable();

/**
 * Puts elements in place of the texts that style sheets add (`::before`, `::after`): the browser prints those without
 * structure. Returns the element in which that would change the layout or the look; null if there is none.
 */
export const replaceGeneratedTexts = async (session: Session): Promise<string | null> => {
  const properties = readProperties.parse(await evaluate(session, markExpression));
  if (properties?.length === 0) return null;
  const found = findAddedTexts(await session.send('DOMSnapshot.captureSnapshot', { computedStyles: [] }));
  if (Object.keys(found).length === 0) return null;
  const moved = await evaluate(
    session,
    `${replaceExpression}(${JSON.stringify(found)}, ${JSON.stringify(properties)})`,
  );
  return z.string().nullable().parse(moved);
};
