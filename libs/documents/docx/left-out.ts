import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import type { Parts } from '../office/archive.ts';

type Search = { content: string; path: RegExp; pattern: RegExp };

const body = /^word\/document\.xml$/i;
const any = /^word\/(?:document|styles|header\d*|footer\d*)\.xml$/i;
const hasText = /<w:t[ >]/;
/** An element of the namespace that Word writes with the prefix `w`. */
const element = (names: string): RegExp => new RegExp(`<w:(?:${names})(?=[\\s/>])`, 'g');

const searches: Search[] = [
  { content: 'landscape pages', path: body, pattern: /<w:pgSz\b[^<>]*w:orient="landscape"/g },
  { content: 'page sizes and margins of the document', path: body, pattern: element('pgMar') },
  { content: 'text in columns', path: body, pattern: /<w:cols\b[^<>]*w:num="(?:[2-9]|\d\d)/g },
  { content: 'text boxes', path: any, pattern: element('txbxContent') },
  { content: 'drawings and shapes', path: body, pattern: /<wps:wsp[\s>]|<v:(?:rect|roundrect|oval|line|shape)[\s>]/g },
  { content: 'floating images', path: body, pattern: /<wp:anchor[\s>]/g },
  { content: 'equations', path: body, pattern: /<m:oMath[\s>]/g },
  { content: 'phonetic guides', path: body, pattern: element('rt') },
  { content: 'charts', path: body, pattern: /<c:chart[\s>]/g },
  { content: 'colours of text', path: any, pattern: /<w:color\b[^<>]*w:val="(?!auto|000000)[^"]/g },
  { content: 'fonts', path: any, pattern: /<w:rFonts\b[^<>]*w:(?:ascii|hAnsi|cs)="/g },
  { content: 'font sizes', path: body, pattern: element('sz') },
  { content: 'shading of cells and paragraphs', path: any, pattern: /<w:shd\b[^<>]*w:fill="(?!auto)[^"]/g },
  { content: 'borders of cells', path: body, pattern: element('tcBorders') },
  { content: 'borders of paragraphs', path: any, pattern: element('pBdr') },
  { content: 'small capitals', path: any, pattern: element('smallCaps') },
  { content: 'indents', path: body, pattern: element('ind') },
  { content: 'spacing of lines and paragraphs', path: body, pattern: element('spacing') },
  { content: 'tab stops', path: any, pattern: element('tabs') },
  { content: 'page breaks before paragraphs', path: any, pattern: element('pageBreakBefore') },
  { content: 'footnotes at the foot of their page', path: body, pattern: element('footnoteReference') },
  {
    content: 'fields with changing values',
    path: body,
    pattern: /(?:<w:instrText[^<>]*>|<w:fldSimple\s[^<>]*?w:instr=")\s*(?:PAGE|NUMPAGES|DATE|TIME|REF|TOC)\b/g,
  },
  { content: 'comments', path: body, pattern: element('commentReference') },
];

const count = (text: string, pattern: RegExp): number => {
  let found = 0;
  for (const _ of text.matchAll(pattern)) found += 1;
  return found;
};

const isStyles = (path: string): boolean => /^word\/styles\.xml$/i.test(path);

/**
 * The parts that name the styles they use. Numbering has a style for its numbers only: that it names a style of
 * paragraphs does not say that the document uses it.
 */
const usingStyles = /^word\/(?:document|header\d*|footer\d*|footnotes|endnotes)\.xml$/i;
const isNumbering = (path: string): boolean => /^word\/numbering\.xml$/i.test(path);
const namedStyles = (path: string, text: string): string[] => {
  const pattern = isNumbering(path) ? /<w:rStyle\s+w:val="([^"]*)"/g : /<w:(?:p|r|tbl)Style\s+w:val="([^"]*)"/g;
  return [...text.matchAll(pattern)].map(([, id]) => id!);
};

/**
 * The styles with these names, those of all text, and those that they are based on. Programs write many styles that a
 * document does not use. A linked style only repeats the other one for characters.
 */
const usedStyles = (styles: string, named: readonly string[]): string => {
  const [defaults, ...elements] = styles.split(/(?=<w:style\s)/);
  const found = elements.map((style) => {
    const [tag] = style.split('>', 1);
    return {
      style,
      id: /\sw:styleId="([^"]*)"/.exec(tag!)?.[1] ?? '',
      base: /<w:basedOn\s+w:val="([^"]*)"/.exec(style)?.[1],
      isDefault: /\sw:default="(?:1|true)"/.test(tag!),
    };
  });
  const bases = new Map(found.map(({ id, base }) => [id, base]));
  const used = new Set([...named, ...found.filter(({ isDefault }) => isDefault).map(({ id }) => id)]);
  for (const id of used) {
    const base = bases.get(id);
    if (base !== undefined) used.add(base);
  }
  return [defaults, ...found.filter(({ id }) => used.has(id)).map(({ style }) => style)].join('');
};

/** What the semantic layout does not show of a Word document: one warning for each kind, with how often it occurs. */
export const findLeftOut = (parts: Parts): RenderWarning[] => {
  const read = [...parts].flatMap(([path, content]): [string, string][] =>
    any.test(path) ? [[path, Buffer.from(content).toString('utf8')]] : [],
  );
  const named = [...parts].flatMap(([path, content]) =>
    usingStyles.test(path) || isNumbering(path) ? namedStyles(path, Buffer.from(content).toString('utf8')) : [],
  );
  const texts = read.map(([path, text]): [string, string] => [path, isStyles(path) ? usedStyles(text, named) : text]);
  const headers = texts.filter(([path, text]) => /^word\/(?:header|footer)/i.test(path) && hasText.test(text)).length;
  const found = searches.map(({ content, path, pattern }) => ({
    content,
    count: texts.reduce((sum, [name, text]) => sum + (path.test(name) ? count(text, pattern) : 0), 0),
  }));
  return [{ content: 'headers and footers', count: headers }, ...found]
    .filter(({ count: times }) => times > 0)
    .map((one) => ({ kind: 'content_left_out' as const, ...one }));
};
