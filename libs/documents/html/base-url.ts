import { escapeMarkup } from '#libs/markup/escape.ts';
import { parseWithHandlers } from './html-parser.ts';

/**
 * Where a base element belongs: after the tags of html and head, else before the first other tag. `href` is that of the
 * base element that the document has, as written.
 */
const findBase = (html: string): { offset: number | undefined; href: string | undefined } => {
  let offset: number | undefined;
  let isFound = false;
  let href: string | undefined;
  parseWithHandlers(html, true, {
    onTag: ({ tagName, attrs, location }, { inTemplate }) => {
      if (tagName === 'base' && !inTemplate) href ??= attrs.find(({ name }) => name === 'href')?.value;
      if (isFound || !location) return;
      const isHtml = tagName === 'html' && offset === undefined;
      offset = isHtml || tagName === 'head' ? location.endOffset : (offset ?? location.startOffset);
      isFound = !isHtml;
    },
    onError: () => {},
  });
  return { offset, href };
};

/** The URL of the document's base element, as written; undefined if it has none. */
export const baseUrlOf = (html: string): string | undefined => (/<base/i.test(html) ? findBase(html).href : undefined);

/**
 * The document with a `<base href>`, so that its relative URLs are resolved against `baseUrl`, with that of its own base
 * element. A document with an absolute one stays as it is. Links to places in the document stay such links: the browser
 * compares them with the base.
 */
export const withBaseUrl = (html: string, baseUrl: string | undefined): string => {
  if (baseUrl === undefined) return html;
  const { offset, href: own } = findBase(html);
  if (offset === undefined || (own !== undefined && URL.canParse(own))) return html;
  const { href } = URL.parse(own ?? '', baseUrl) ?? new URL(baseUrl);
  return `${html.slice(0, offset)}<base href="${escapeMarkup(href)}">${html.slice(offset)}`;
};
