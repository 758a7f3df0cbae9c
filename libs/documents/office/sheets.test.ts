import { describe, expect, it, vi } from 'vitest';
import { cornersOf, sizeOfSheet } from './sheet-size.ts';
import { fittedToWidth, withOnePagePerSheet } from './sheets.ts';

const sheet = (content: string): string => `<worksheet>${content}</worksheet>`;
const fit = '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>';
const cells = '<sheetData><row r="1"><c r="A1"/><c r="C1"/></row><row r="4"><c r="B4"/></row></sheetData>';

describe('A sheet is made as wide as a page', () => {
  it.each([
    ['', `${fit}<pageSetup paperSize="9" fitToWidth="1" fitToHeight="0"/>`],
    [
      '<sheetPr><pageSetUpPr/></sheetPr>',
      '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><pageSetup paperSize="9" fitToWidth="1" fitToHeight="0"/>',
    ],
    [
      '<pageSetup orientation="landscape" fitToHeight="3"/>',
      `${fit}<pageSetup fitToWidth="1" fitToHeight="0" orientation="landscape"/>`,
    ],
    [
      '<customSheetViews><customSheetView><pageSetup scale="50"/><colBreaks/></customSheetView></customSheetViews>' +
        "<pageSetup fitToHeight = '3'/>",
      `${fit}<customSheetViews><customSheetView><pageSetup scale="50"/><colBreaks/></customSheetView></customSheetViews>` +
        '<pageSetup fitToWidth="1" fitToHeight="0"/>',
    ],
  ])('with the page setup %s', (xml, expected) => expect(fittedToWidth(sheet(xml))).toBe(sheet(expected)));

  it.each([
    '<pageSetup scale="80"/>',
    '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>',
    '<colBreaks count="1"><brk id="2"/></colBreaks>',
  ])('but not with %s', (xml) => expect(fittedToWidth(sheet(xml))).toBe(sheet(xml)));
});

describe('A sheet whose elements have a prefix', () => {
  const prefixed = (content: string): string => `<x:worksheet xmlns:x="urn:x">${content}</x:worksheet>`;
  const prefixedFit = '<x:pageSetUpPr fitToPage="1"/>';
  it.each([
    ['', `<x:sheetPr>${prefixedFit}</x:sheetPr><x:pageSetup paperSize="9" fitToWidth="1" fitToHeight="0"/>`],
    [
      '<x:sheetPr a="b"/><x:pageSetup paperSize="8"/>',
      `<x:sheetPr a="b">${prefixedFit}</x:sheetPr><x:pageSetup fitToWidth="1" fitToHeight="0" paperSize="8"/>`,
    ],
    [
      '<x:sheetPr><x:tabColor/></x:sheetPr><x:pageSetup/>',
      `<x:sheetPr><x:tabColor/>${prefixedFit}</x:sheetPr><x:pageSetup fitToWidth="1" fitToHeight="0"/>`,
    ],
  ])('is made as wide as a page: %s', (xml, expected) => expect(fittedToWidth(prefixed(xml))).toBe(prefixed(expected)));
  it.each(['<x:pageSetup scale="80"/>', `<x:sheetPr>${prefixedFit}</x:sheetPr>`, '<x:colBreaks/>'])(
    'is not with %s',
    (xml) => expect(fittedToWidth(prefixed(xml))).toBe(prefixed(xml)),
  );
  it('is as large as its cells', () => {
    const xml =
      '<x:sheetFormatPr defaultRowHeight="20"/><x:cols><x:col min="1" max="1" width="20"/></x:cols><x:row><x:c/></x:row>';
    expect(sizeOfSheet(prefixed(xml), cornersOf('<y:col>0</y:col><y:row>1</y:row>'))).toEqual({
      width: 108.75,
      height: 40,
    });
  });
});

describe('The size of a sheet', () => {
  it('is that of its cells', () => {
    expect(sizeOfSheet(sheet(cells), cornersOf(''))).toEqual({ width: 3 * 48, height: 4 * 15 });
  });
  it('follows the widths of columns and the heights of rows, but not those that are hidden', () => {
    const xml =
      '<sheetFormatPr defaultColWidth="10" defaultRowHeight="20"/><cols><col min="1" max="1" width="20"/>' +
      '<col min="2" max="9" hidden="1"/></cols><row ht="50"><c/><c/><c/></row><row hidden="1"/><row><c/></row>';
    expect(sizeOfSheet(sheet(xml), cornersOf(''))).toEqual({ width: 108.75, height: 70 });
  });
  it('is measured in as many steps as a sheet has columns, also if its columns overlap', () => {
    const xml = '<cols><col min="1" max="16383" width="20"/><col min="1" max="16383" width="50"/></cols><c r="B1"/>';
    expect(sizeOfSheet(sheet(xml), cornersOf('')).width).toBe(266.25 + 108.75);
  });
  it('has images with a size up to a limit', () => {
    expect(cornersOf('<ext cx="1" cy="1"/>'.repeat(1001)).sized).toHaveLength(1000);
  });
  it('contains images and charts', () => {
    const corner = '<xdr:to><xdr:col>9</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>19</xdr:row></xdr:to>';
    expect(sizeOfSheet(sheet(cells), cornersOf(corner))).toEqual({ width: 480, height: 300 });
    const sized = '<from><col>0</col><row>0</row></from><ext cx="1270000" cy="12700"/><a:ext cx="99999999" cy="9"/>';
    expect(sizeOfSheet(sheet(cells), cornersOf(sized))).toEqual({ width: 148, height: 60 });
  });
});

describe('A sheet on one page', () => {
  const onOnePage = (xml: string, more: Record<string, string> = {}): string => {
    const parts = Object.entries({ 'xl/worksheets/sheet1.xml': xml, ...more });
    const result = withOnePagePerSheet(new Map(parts.map(([path, text]) => [path, Buffer.from(text)])));
    return Buffer.from(result.get('xl/worksheets/sheet1.xml')!).toString();
  };

  it('stays on its paper if it fits', () => {
    const one = 'fitToWidth="1" fitToHeight="1"';
    expect(onOnePage(sheet(cells))).toBe(sheet(`${fit}${cells}<pageSetup paperSize="9" ${one}/>`));
    expect(onOnePage(sheet(`${cells}<pageSetup scale="50" paperSize="8"/>`))).toBe(
      sheet(`${fit}${cells}<pageSetup ${one} paperSize="8"/>`),
    );
  });
  it('is on larger paper if its cells or images need it', () => {
    expect(onOnePage(sheet('<row><c r="AZ1"/></row>'))).toMatch(/paperWidth="9\d\dmm" paperHeight="297mm"/);
    const drawing = {
      'xl/worksheets/_rels/sheet1.xml.rels': '<Relationship Target="../drawings/drawing3.xml"/>',
      'xl/drawings/drawing3.xml': '<to><col>1</col><row>199</row></to>',
    };
    expect(onOnePage(sheet(cells), drawing)).toContain('paperHeight="1');
  });
  it('is measured with a drawing that is read once for all sheets', () => {
    const drawing = 'xl/drawings/drawing1.xml';
    const relationships = '<Relationship Target="../drawings/drawing1.xml"/>';
    const entries: [string, string][] = [1, 2, 3].flatMap((number) => [
      [`xl/worksheets/sheet${number}.xml`, sheet(cells)],
      [`xl/worksheets/_rels/sheet${number}.xml.rels`, relationships],
    ]);
    const parts = new Map(
      [...entries, [drawing, '<to><col>1</col><row>199</row></to>']].map(([path, text]) => [path!, Buffer.from(text!)]),
    );
    const read = vi.spyOn(parts, 'get');
    const result = withOnePagePerSheet(parts);
    expect(Buffer.from(result.get('xl/worksheets/sheet3.xml')!).toString()).toContain('paperHeight="1');
    expect(read.mock.calls.filter(([path]) => path === drawing)).toHaveLength(1);
  });
  it('is no larger than a page can be', () => {
    expect(onOnePage(sheet('<row r="1048576"><c/></row>'))).toContain('paperHeight="5079mm"');
  });
  it('has the paper of its own page setup, not of a custom view', () => {
    const views = '<customSheetViews><pageMargins left="90"/><pageSetup paperSize="8"/></customSheetViews>';
    expect(onOnePage(sheet(`${cells}${views}<pageSetup paperSize="9"/>`))).toBe(
      sheet(`${fit}${cells}${views}<pageSetup fitToWidth="1" fitToHeight="1" paperSize="9"/>`),
    );
  });
  const long = '<row r="70"><c/></row>';
  const wide = '<row><c r="AZ1"/></row>';
  it.each([
    ['paperSize="9"', '210mm', '\\d+mm'],
    ['paperSize="9" orientation="landscape"', '297mm', '\\d+mm'],
    ['paperSize="4"', '432mm', '\\d+mm'],
    ['paperSize="12"', '257mm', '\\d+mm'],
    ['paperWidth="595.3pt" paperHeight="841.9pt"', '210mm', '\\d+mm'],
    ['paperSize="9" paperWidth="30cm" paperHeight="10in"', '300mm', '\\d+mm'],
  ])('keeps the width of the paper %s if it is too short', (paper, width, height) =>
    expect(onOnePage(sheet(`${long}<pageSetup ${paper}/>`))).toMatch(
      new RegExp(`paperWidth="${width}" paperHeight="${height}"/>`),
    ),
  );
  it('stays on A2 if it fits', () => {
    expect(onOnePage(sheet(`${long}<pageSetup paperSize="66"/>`))).toContain(' paperSize="66"/>');
  });
  it.each(['constructor', '0', '999'])('has larger paper in place of the unknown paper %s', (paper) => {
    expect(onOnePage(sheet(`${wide}<pageSetup paperSize="${paper}"/>`))).toBe(
      onOnePage(sheet(`${wide}<pageSetup paperSize="9"/>`)),
    );
  });
});
