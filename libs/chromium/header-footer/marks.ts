import { escapeMarkup } from '#libs/markup/escape.ts';
import { defaultTreeAdapter as tree, html, type DefaultTreeAdapterTypes as Dom } from 'parse5';
import { type PlaceholderName, replacePlaceholders } from '#contracts/http/placeholders.ts';

// Private-use characters. They mark the placeholders in attributes, and in texts while a source is parsed.
const [begin, end] = ['\u{f0000}', '\u{f0001}'];
const markPattern = new RegExp(`${begin}(\\w+)${end}`, 'gu');
const ownMarks = new RegExp(`[${begin}${end}]`, 'gu');

export type MarkedName = Exclude<PlaceholderName, 'date'>;
/** The mark in place of a placeholder until its value is known. */
export const markOf = (name: MarkedName): string => `${begin}${name}${end}`;

/** Replaces `{{date}}`, and marks all other placeholders. */
export const markPlaceholders = (source: string, date: string): string =>
  replacePlaceholders(source.replace(ownMarks, ''), (name) => (name === 'date' ? date : markOf(name)));

/** The placeholders that are marked in a text. */
export const marksIn = (text: string): MarkedName[] =>
  text.includes(begin) ? [...text.matchAll(markPattern)].map(([, name]) => name as MarkedName) : [];

/** Puts values in place of marks. A mark without a value (undefined) stays. */
const replaceMarks = (text: string, valueOf: (name: MarkedName) => string | undefined): string =>
  text.replace(markPattern, (mark, name: MarkedName) => valueOf(name) ?? mark);

/** The classes of the elements for placeholders. The browser writes into the first two. */
const placeholderClasses: Record<MarkedName, string> = {
  page: 'pageNumber',
  total: 'totalPages',
  title: 'colophon-title',
  section: 'colophon-section',
};

const placeholderElement = (name: MarkedName, namespace: html.NS): Dom.ChildNode => {
  const attributes = [{ name: 'class', value: placeholderClasses[name] }];
  // An HTML element would end the SVG around it.
  if (namespace === html.NS.SVG) return tree.createElement('tspan', namespace, attributes);
  const element = tree.createElement('span', html.NS.HTML, attributes);
  if (name === 'title' || name === 'section')
    tree.appendChild(element, tree.createElement('span', html.NS.HTML, [{ name: 'dir', value: 'auto' }]));
  return element;
};

/** A text with elements in place of its marks. */
export const elementsForMarks = (text: string, namespace: html.NS): Dom.ChildNode[] =>
  text
    .split(markPattern)
    .flatMap((piece, index) =>
      index % 2 === 1
        ? [placeholderElement(piece as MarkedName, namespace)]
        : piece
          ? [tree.createTextNode(piece)]
          : [],
    );

/**
 * One line that ends with an ellipsis if it is too long, also in a flex container. Every rule of the caller overrides
 * it.
 */
export const placeholderStyle =
  '<style>:where(span.colophon-title,span.colophon-section){display:inline-grid;' +
  'grid-template-columns:minmax(0,max-content);max-width:100%}' +
  ':where(span.colophon-title,span.colophon-section)>:where(span){overflow:clip;text-overflow:ellipsis;' +
  'white-space:nowrap}</style>';

const filledElements = new RegExp(
  [
    '(<span class="(pageNumber|totalPages|colophon-title|colophon-section)">(?:<span dir="auto">)?',
    String.raw`|<tspan class="(\w+|colophon-\w+)">)(?=</)`,
  ].join(''),
  'g',
);
const namesByClass = new Map(Object.entries(placeholderClasses).map(([name, value]) => [value, name as MarkedName]));

/** Writes values into the serialised HTML of a header or footer. Placeholders without a value stay. */
export const fillPlaceholders = (source: string, values: Partial<Record<MarkedName, string>>): string => {
  const valueOf = (name: MarkedName | undefined): string | undefined => {
    const value = name && values[name];
    return value === undefined ? undefined : escapeMarkup(value.replace(ownMarks, ''));
  };
  return replaceMarks(source, valueOf).replace(
    filledElements,
    (tag, _, inHtml?: string, inSvg?: string) => tag + (valueOf(namesByClass.get(inHtml ?? inSvg ?? '')) ?? ''),
  );
};
