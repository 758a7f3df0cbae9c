import type { Token } from 'parse5';
import type { Budget } from '../budget.ts';
import { isLocalUrl, findCssResources } from './css-resources.ts';

const fetchedAttributes = new Set([
  'src',
  'srcset',
  'imagesrcset',
  'href',
  'poster',
  'background',
  'data',
  'lowsrc',
  'dynsrc',
  'icon',
  'manifest',
  'codebase',
  'classid',
  'archive',
  'code',
]);
const linkElements = new Set(['a', 'area', 'base']);

/** The attribute with the URL of an image, by element. Of `input` it is one only if its type is `image`. */
export const imageAttributes: ReadonlyMap<string, string> = new Map([
  ['img', 'src'],
  ['input', 'src'],
  ['video', 'poster'],
  ['image', 'href'],
  ['feImage', 'href'],
  ...['body', 'table', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th'].map((name) => [name, 'background'] as const),
]);

/** The attributes of SVG whose value is CSS, which can refer to another file: `fill="url(patterns.svg#dots)"`. */
export const cssAttributes: ReadonlySet<string> = new Set([
  'style',
  'fill',
  'stroke',
  'filter',
  'mask',
  'clip-path',
  'marker',
  'marker-start',
  'marker-mid',
  'marker-end',
  'cursor',
]);

/** What one element may make a browser fetch. `images` are the URLs that it would load as images. */
export type ElementResources = { external: boolean; images: string[] };

/** Finds the resources in an element's attributes; undefined if there are none. */
export const findElementResources = (
  tagName: string,
  attributes: readonly Token.Attribute[],
  budget: Budget,
): ElementResources | undefined => {
  const resources: ElementResources = { external: false, images: [] };
  for (const { name, value } of attributes) {
    if (fetchedAttributes.has(name)) {
      if (isFetched(tagName, name, value)) resources.external = true;
    } else if (name === 'style' || value.includes('(')) {
      const css = findCssResources(name === 'style' ? value : `x:${value}`, 'declarationList', budget);
      resources.external ||= css.external;
      if (cssAttributes.has(name)) resources.images.push(...css.images);
    }
  }
  if (resources.external) resources.images.push(...imageUrls(tagName, attributes));
  return resources.external ? resources : undefined;
};

const isFetched = (tagName: string, name: string, value: string): boolean => {
  if (name === 'href' && linkElements.has(tagName)) return false;
  return name.endsWith('srcset') ? parseSrcset(value).some(({ url }) => !isLocalUrl(url)) : !isLocalUrl(value);
};

/** The URL of the image that an element shows, in an array that is empty if there is none. */
export const imageUrls = (tagName: string, attributes: readonly Token.Attribute[]): string[] => {
  const valueOf = (name: string) => attributes.find((attribute) => attribute.name === name)?.value;
  const attribute = imageAttributes.get(tagName);
  if (attribute === undefined || (tagName === 'input' && valueOf('type')?.toLowerCase() !== 'image')) return [];
  const url = valueOf(attribute) ?? (tagName === 'img' ? parseSrcset(valueOf('srcset') ?? '')[0]?.url : undefined);
  return url === undefined ? [] : [url];
};

const separatorPattern = /[\s,]*/y;
const urlPattern = /\S+/y;
const descriptorPattern = /[^,]*/y;

/** The candidates of a `srcset`, in order. A `data:` URL may contain commas, but not at its end. */
export const parseSrcset = (srcset: string): { url: string; descriptor: string }[] => {
  const found: { url: string; descriptor: string }[] = [];
  let offset = 0;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = offset;
    const text = pattern.exec(srcset)?.[0] ?? '';
    offset += text.length;
    return text;
  };
  while ((take(separatorPattern), offset < srcset.length)) {
    const candidate = take(urlPattern);
    const url = candidate.replace(/,{1,1000}$/, '');
    // Without white space after it, a comma ends the candidate.
    found.push({ url, descriptor: url === candidate ? take(descriptorPattern).trim() : '' });
  }
  return found;
};
