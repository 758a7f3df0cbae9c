import type { Parts } from './archive.ts';
import { valuesOf } from './edit-tags.ts';
import { a4, mmOf, papers } from './papers.ts';
import { cornersOf, type Corners, sizeOfSheet } from './sheet-size.ts';
import { encodeXml, readXml } from './xml-encoding.ts';

const setup = /<(?:[\w-]+:)?pageSetup\b[^<>]*>/;
const fitSetup = /<(?:[\w-]+:)?pageSetUpPr\b[^<>]*>/;
const sheetEnd = /<\/((?:[\w-]+:)?)worksheet\s*>/;

const attribute = (tag: string | undefined, name: string): string | undefined => valuesOf(tag ?? '', name)[0];
const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true';

/** Where the page setup of the sheet itself may begin: after those of its custom views. */
const ownStart = (xml: string): number => {
  const views = /<\/(?:[\w-]+:)?customSheetViews\s*>/.exec(xml);
  return views ? views.index + views[0].length : 0;
};
const ownPart = (xml: string): string => xml.slice(ownStart(xml));

/** The sheet fitted to pages. `prefix` is that of the namespace, with its colon. */
const withFitToPage = (xml: string, prefix: string): string => {
  const fit = `<${prefix}pageSetUpPr fitToPage="1"/>`;
  if (fitSetup.test(xml)) return xml.replace(fitSetup, (tag) => (tag.endsWith('/>') ? fit : fit.replace('/>', '>')));
  const empty = /<(?:[\w-]+:)?sheetPr\b[^<>]*\/>/;
  if (empty.test(xml)) return xml.replace(empty, (tag) => `${tag.slice(0, -2)}>${fit}</${prefix}sheetPr>`);
  const end = /<\/(?:[\w-]+:)?sheetPr\s*>/;
  if (end.test(xml)) return xml.replace(end, (tag) => `${fit}${tag}`);
  return xml.replace(/<(?:[\w-]+:)?worksheet\b[^<>]*>/, (tag) => `${tag}<${prefix}sheetPr>${fit}</${prefix}sheetPr>`);
};

/** The sheet with these attributes of its page setup, in place of those whose names are `replaced`. */
const withSetup = (xml: string, added: string, replaced: string): string => {
  const prefix = sheetEnd.exec(xml)![1]!;
  const fitted = withFitToPage(xml, prefix);
  const start = ownStart(fitted);
  const own = fitted.slice(start);
  if (!setup.test(own)) return fitted.replace(sheetEnd, (end) => `<${prefix}pageSetup paperSize="9" ${added}/>${end}`);
  const attributes = new RegExp(String.raw`\s(?:${replaced})\s*=\s*(?:"[^"]*"|'[^']*')`, 'g');
  const changed = own.replace(setup, (tag) =>
    tag.replace(attributes, '').replace(/^<[\w:-]+/, (name) => `${name} ${added}`),
  );
  return fitted.slice(0, start) + changed;
};

/**
 * Makes a sheet of a workbook as wide as a page, unless its page setup says otherwise: a scale, a number of pages, or
 * where columns begin a page. `xml` is the sheet.
 */
export const fittedToWidth = (xml: string): string => {
  const own = ownPart(xml);
  const isSetUp =
    attribute(setup.exec(own)?.[0], 'scale') !== undefined ||
    isTrue(attribute(fitSetup.exec(xml)?.[0], 'fitToPage')) ||
    /<(?:[\w-]+:)?colBreaks\b/.test(own);
  if (isSetUp || !sheetEnd.test(xml)) return xml;
  return withSetup(xml, 'fitToWidth="1" fitToHeight="0"', 'fitTo(?:Width|Height)');
};

const pointsPerMm = 72 / 25.4;
/** The largest side of a page (PDF 1.7, annex C: 14,400 points), in whole millimetres. */
const maxSide = 5079;
/** For letters that are wider than expected; content that is still too large is printed smaller. */
const slack = 1.05;

/** The margins of both sides, in millimetres. */
const marginsOf = (xml: string): { width: number; height: number } => {
  const tag = /<(?:[\w-]+:)?pageMargins\b[^<>]*>/.exec(xml)?.[0];
  const mm = (name: string, inches: number): number => Number(attribute(tag, name) ?? inches) * 25.4 || 0;
  return { width: mm('left', 0.7) + mm('right', 0.7), height: mm('top', 0.75) + mm('bottom', 0.75) };
};

/**
 * Width and height of the paper of a page setup, in millimetres. A page setup without a paper means Letter; a sheet
 * without a page setup or with an unknown paper has the paper of the service.
 */
const paperOf = (tag: string | undefined): readonly [width: number, height: number] => {
  if (tag === undefined) return a4;
  const [width, height] = [mmOf(attribute(tag, 'paperWidth')), mmOf(attribute(tag, 'paperHeight'))];
  const named = papers.get(Number(attribute(tag, 'paperSize') ?? 1)) ?? a4;
  const paper = width && height ? ([width, height] as const) : named;
  return attribute(tag, 'orientation') === 'landscape' ? [paper[1], paper[0]] : paper;
};

/** The attributes of a paper that is larger than that of the sheet, if its content needs it. */
const largerPaper = (xml: string, corners: Corners): string => {
  const own = ownPart(xml);
  const paper = paperOf(setup.exec(own)?.[0]);
  const [content, margins, scale] = [sizeOfSheet(xml, corners), marginsOf(own), slack / pointsPerMm];
  const needed = [content.width * scale + margins.width, content.height * scale + margins.height] as const;
  if (needed[0] <= paper[0] && needed[1] <= paper[1]) return '';
  const mm = (side: 0 | 1): number => Math.min(maxSide, Math.ceil(Math.max(paper[side], needed[side]) - 0.1));
  return ` orientation="portrait" paperWidth="${mm(0)}mm" paperHeight="${mm(1)}mm"`;
};

const onOnePage = (xml: string, corners: Corners): string => {
  if (!sheetEnd.test(xml)) return xml;
  const paper = largerPaper(xml, corners);
  const replaced = paper ? String.raw`fitTo(?:Width|Height)|scale|orientation|paper\w+` : 'fitTo(?:Width|Height)|scale';
  return withSetup(xml, `fitToWidth="1" fitToHeight="1"${paper}`, replaced);
};

/** Returns the corners of the drawing of a sheet, with its images and charts. Reads each drawing once. */
const cornersIn = (parts: Parts): ((sheet: string) => Corners) => {
  const known = new Map<string, Corners>();
  return (sheet) => {
    const relationships = readXml(parts.get(sheet.replace(/[^/]+$/, '_rels/$&.rels')) ?? new Uint8Array()) ?? '';
    const name = /\bTarget=["'][^"']*\bdrawings\/([^"'/]+\.xml)["']/.exec(relationships)?.[1] ?? '';
    const found = known.get(name);
    if (found) return found;
    const corners = cornersOf(readXml(parts.get(`xl/drawings/${name}`) ?? new Uint8Array()) ?? '');
    known.set(name, corners);
    return corners;
  };
};

/** The parts of a workbook that prints each sheet on one page: on its own paper, or on larger paper if it needs it. */
export const withOnePagePerSheet = (parts: Parts): Parts => {
  const corners = cornersIn(parts);
  return new Map(
    [...parts].map(([path, content]): [string, Uint8Array] => {
      const xml = /^xl\/worksheets\/[^/]+\.xml$/i.test(path) ? readXml(content) : null;
      return [path, xml === null ? content : encodeXml(onOnePage(xml, corners(path)))];
    }),
  );
};
