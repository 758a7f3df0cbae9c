import { escapeMarkup } from '#libs/markup/escape.ts';
import { parseWithHandlers } from './html-parser.ts';

/** Where a base element belongs: after the tags of html and head, else before the first other tag. */
const findPlace = (html: string): { offset: number | undefined; hasBase: boolean } => {
  let offset: number | undefined;
  let isFound = false;
  let hasBase = false;
  parseWithHandlers(html, true, {
    onTag: ({ tagName, attrs, location }, { inTemplate }) => {
      hasBase ||= tagName === 'base' && !inTemplate && attrs.some(({ name }) => name === 'href');
      if (isFound || !location) return;
      const isHtml = tagName === 'html' && offset === undefined;
      offset = isHtml || tagName === 'head' ? location.endOffset : (offset ?? location.startOffset);
      isFound = !isHtml;
    },
    onError: () => {},
  });
  return { offset, hasBase };
};

/** Whether the document has a base element with a URL, which the browser resolves relative URLs against. */
export const hasBaseUrl = (html: string): boolean => /<base/i.test(html) && findPlace(html).hasBase;

/**
 * The document with a `<base href>`, so that its relative URLs are resolved against `baseUrl`. A document with its own
 * base stays as it is. Links to places in the document stay such links: the browser compares them with the base.
 */
export const withBaseUrl = (html: string, baseUrl: string | undefined): string => {
  if (baseUrl === undefined) return html;
  const { offset, hasBase } = findPlace(html);
  if (hasBase || offset === undefined) return html;
  return `${html.slice(0, offset)}<base href="${escapeMarkup(new URL(baseUrl).href)}">${html.slice(offset)}`;
};
