import { escapeMarkup } from '#libs/markup/escape.ts';
import type { DefaultTreeAdapterTypes, Token } from 'parse5';
import { isUnfinishedError } from '../html/unfinished-input.ts';
import { cssAttributes, imageAttributes, parseSrcset } from '../html/element-resources.ts';
import { parseWithHandlers } from '../html/html-parser.ts';
import { linksStyleSheet } from '../html/linked-style-sheet.ts';
import type { CssUrlKind } from './css-urls.ts';

/** How URLs in HTML are replaced; undefined leaves one as it is. */
export type HtmlReplacer = {
  image: (url: string) => string | undefined;
  /** For a candidate of a srcset: the new URL; null to remove the candidate. */
  candidate: (url: string) => string | null | undefined;
  css: (css: string, context: 'stylesheet' | 'declarations') => string;
  /** The style sheet at the URL of a link, on one line. */
  styleSheet: (url: string) => string | undefined;
  script: (url: string) => string | undefined;
};
export type { CssUrlKind };

type Edit = { start: number; end: number; text: string };
type Location = { startOffset: number; endOffset: number };
type Attributes = ReadonlyMap<string, string>;

const srcsetElements = new Set(['img', 'source']);

/** The srcset with replaced URLs. */
const replaceSrcset = (srcset: string, replace: HtmlReplacer['candidate']): string =>
  parseSrcset(srcset)
    .flatMap(({ url, descriptor }) => {
      const replacement = replace(url);
      return replacement === null ? [] : `${replacement ?? url} ${descriptor}`.trim();
    })
    .join(', ');

const keptLinkAttributes = ['id', 'class', 'media', 'title'];

/** A style element with the style sheet of a link. */
const styleElement = (css: string, attributes: Attributes): string => {
  const kept = keptLinkAttributes.flatMap((name) =>
    attributes.has(name) ? ` ${name}="${escapeMarkup(attributes.get(name)!)}"` : [],
  );
  // In a string or comment, the only places where it can be, the backslash changes nothing.
  return `<style${kept.join('')}>${css.replaceAll(/<(?=\/style)/gi, '<\\')}</style>`;
};

const editsOfTag = ({ tagName, attrs, location }: Token.TagToken, replacer: HtmlReplacer): Edit[] => {
  const attributes = new Map(attrs.map(({ name, value }) => [name, value]));
  if (tagName === 'link' && location && attributes.has('href') && linksStyleSheet(attributes)) {
    const css = replacer.styleSheet(attributes.get('href')!);
    const { startOffset: start, endOffset: end } = location;
    return css === undefined ? [] : [{ start, end, text: styleElement(css, attributes) }];
  }
  const locations = (location as { attrs?: Record<string, Location> } | null | undefined)?.attrs ?? {};
  return attrs.flatMap(({ name, prefix, value }) => {
    const written = prefix ? `${prefix}:${name}` : name;
    const range = locations[written];
    const replacement = replaceAttribute(tagName, name, value, replacer);
    return range && replacement !== undefined && replacement !== value
      ? [{ start: range.startOffset, end: range.endOffset, text: `${written}="${escapeMarkup(replacement)}"` }]
      : [];
  });
};

const replaceAttribute = (tagName: string, name: string, value: string, replacer: HtmlReplacer): string | undefined => {
  if (cssAttributes.has(name)) return replacer.css(value, 'declarations');
  if (tagName === 'script' && name === 'src') return replacer.script(value);
  if (name === 'srcset' && srcsetElements.has(tagName)) return replaceSrcset(value, replacer.candidate);
  return imageAttributes.get(tagName) === name ? replacer.image(value) : undefined;
};

const editOfStyle = (
  { sourceCodeLocation, namespaceURI }: DefaultTreeAdapterTypes.Element,
  html: string,
  replacer: HtmlReplacer,
): Edit[] => {
  const { startTag, endTag } = sourceCodeLocation ?? {};
  if (!startTag || !endTag) return [];
  const [start, end] = [startTag.endOffset, endTag.startOffset];
  const css = html.slice(start, end);
  // In SVG, the text of a style element can have entities, comments and CDATA sections.
  if (!namespaceURI.endsWith('/xhtml') && /[&<]/.test(css)) return [];
  const text = replacer.css(css, 'stylesheet');
  return text === css ? [] : [{ start, end, text }];
};

/**
 * Replaces the URLs of images, style sheets and scripts in HTML. All else stays as it is, on the same lines. Input that
 * ends too early stays unchanged.
 */
export const replaceHtmlUrls = (html: string, replacer: HtmlReplacer): string => {
  const edits = new Map<number, Edit>();
  let isUnfinished = false;
  const { styles } = parseWithHandlers(html, true, {
    onTag: (tag) => {
      for (const edit of editsOfTag(tag, replacer)) edits.set(edit.start, edit);
    },
    onError: (code) => (isUnfinished ||= isUnfinishedError(code)),
  });
  if (isUnfinished) return html;
  for (const style of styles) for (const edit of editOfStyle(style, html, replacer)) edits.set(edit.start, edit);
  let written = '';
  let until = 0;
  for (const { start, end, text } of [...edits.values()].toSorted((a, b) => a.start - b.start)) {
    written += html.slice(until, start) + text;
    until = end;
  }
  return written + html.slice(until);
};
