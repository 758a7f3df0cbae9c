import type { Token } from 'parse5';
import type { Budget } from '../budget.ts';
import { isLocalAddress, reachOfCss } from './css.ts';

const fetchedAttributes = new Set(['src', 'srcset', 'imagesrcset', 'href', 'poster', 'background', 'data', 'lowsrc', 'dynsrc', 'icon', 'manifest', 'codebase', 'classid', 'archive', 'code']);
const onlyLinking = new Set(['a', 'area', 'base']);

/** What one element can make a browser fetch: `images` are addresses that it would load as a picture. */
export type Reach = { external: boolean; images: string[] };

/** The reach of an element's attributes; undefined where it has none. */
export const reachOf = (tagName: string, attributes: readonly Token.Attribute[], budget: Budget): Reach | undefined => {
  const reach: Reach = { external: false, images: [] };
  for (const { name, value } of attributes) {
    if (fetchedAttributes.has(name)) {
      if (isFetched(tagName, name, value)) reach.external = true;
    } else if (name === 'style' || value.includes('(')) {
      const css = reachOfCss(name === 'style' ? value : `x:${value}`, 'declarationList', budget);
      reach.external ||= css.external;
      reach.images.push(...css.images);
    }
  }
  if (reach.external) reach.images.push(...pictures(tagName, attributes));
  return reach.external ? reach : undefined;
};

const isFetched = (tagName: string, name: string, value: string): boolean => {
  if (name === 'href' && onlyLinking.has(tagName)) return false;
  return name.endsWith('srcset') ? addressesOfSrcset(value).some((candidate) => !isLocalAddress(candidate)) : !isLocalAddress(value);
};

const pictures = (tagName: string, attributes: readonly Token.Attribute[]): string[] => {
  const value = (name: string) => attributes.find((attribute) => attribute.name === name)?.value;
  const plain = (address: string | undefined) => (address === undefined ? [] : [address]);
  switch (tagName) {
    case 'img':
      return plain(value('src') ?? addressesOfSrcset(value('srcset') ?? '')[0]);
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

const skip = /[\s,]*/y;
const address = /\S+/y;
const descriptor = /[^,]*/y;

/** The addresses of a `srcset`, in order. A `data:` address may hold commas, but none at its end. */
export const addressesOfSrcset = (srcset: string): string[] => {
  const found: string[] = [];
  let at = 0;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const text = pattern.exec(srcset)?.[0] ?? '';
    at += text.length;
    return text;
  };
  while (take(skip), at < srcset.length) {
    const written = take(address);
    found.push(written.replace(/,{1,1000}$/, ''));
    if (!written.endsWith(',')) take(descriptor);
  }
  return found;
};
