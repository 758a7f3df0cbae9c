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

/** What one element can make a browser fetch: `images` are addresses that it would load as a picture. */
export type ElementResources = { external: boolean; images: string[] };

/** The reach of an element's attributes; undefined where it has none. */
export const findElementResources = (
  tagName: string,
  attributes: readonly Token.Attribute[],
  budget: Budget,
): ElementResources | undefined => {
  const reach: ElementResources = { external: false, images: [] };
  for (const { name, value } of attributes) {
    if (fetchedAttributes.has(name)) {
      if (isFetched(tagName, name, value)) reach.external = true;
    } else if (name === 'style' || value.includes('(')) {
      const css = findCssResources(name === 'style' ? value : `x:${value}`, 'declarationList', budget);
      reach.external ||= css.external;
      reach.images.push(...css.images);
    }
  }
  if (reach.external) reach.images.push(...imageUrls(tagName, attributes));
  return reach.external ? reach : undefined;
};

const isFetched = (tagName: string, name: string, value: string): boolean => {
  if (name === 'href' && linkElements.has(tagName)) return false;
  return name.endsWith('srcset') ? parseSrcset(value).some((candidate) => !isLocalUrl(candidate)) : !isLocalUrl(value);
};

const imageUrls = (tagName: string, attributes: readonly Token.Attribute[]): string[] => {
  const value = (name: string) => attributes.find((attribute) => attribute.name === name)?.value;
  const plain = (address: string | undefined) => (address === undefined ? [] : [address]);
  switch (tagName) {
    case 'img':
      return plain(value('src') ?? parseSrcset(value('srcset') ?? '')[0]);
    case 'input':
      return value('type')?.toLowerCase() === 'image' ? plain(value('src')) : [];
    case 'image':
    case 'feImage':
      return plain(value('href'));
    case 'video':
      return plain(value('poster'));
    case 'body':
    case 'table':
    case 'td':
    case 'th':
      return plain(value('background'));
    default:
      return [];
  }
};

const separatorPattern = /[\s,]*/y;
const urlPattern = /\S+/y;
const descriptorPattern = /[^,]*/y;

/** The addresses of a `srcset`, in order. A `data:` address may hold commas, but none at its end. */
export const parseSrcset = (srcset: string): string[] => {
  const found: string[] = [];
  let at = 0;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const text = pattern.exec(srcset)?.[0] ?? '';
    at += text.length;
    return text;
  };
  while ((take(separatorPattern), at < srcset.length)) {
    const written = take(urlPattern);
    found.push(written.replace(/,{1,1000}$/, ''));
    if (!written.endsWith(',')) take(descriptorPattern);
  }
  return found;
};
