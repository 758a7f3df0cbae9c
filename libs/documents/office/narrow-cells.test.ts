import { describe, expect, it } from 'vitest';
import { giveRoomInNarrowCells } from './narrow-cells.ts';

const withRoomInNarrowCells = (xml: string, styles: string): string => giveRoomInNarrowCells(styles)(xml);

const cell = (properties: string, content = '<w:p><w:r><w:t>Text</w:t></w:r></w:p>'): string =>
  `<w:tc>${properties && `<w:tcPr>${properties}</w:tcPr>`}${content}</w:tc>`;
const table = (grid: number[], cells: string[], properties = '', row = ''): string =>
  `<w:tbl><w:tblPr>${properties}</w:tblPr><w:tblGrid>${grid.map((width) => `<w:gridCol w:w="${width}"/>`).join('')}</w:tblGrid>` +
  `<w:tr>${row}${cells.join('')}</w:tr></w:tbl>`;
const width = (value: number): string => `<w:tcW w:w="${value}" w:type="dxa"/>`;
const mar = (length: number): string => `<w:left w:w="${length}" w:type="dxa"/><w:right w:w="${length}" w:type="dxa"/>`;
const noMargins = `<w:tcMar>${mar(0)}</w:tcMar>`;
const fixed = '<w:tblLayout w:type="fixed"/>';
const rotated = '<w:textDirection w:val="btLr"/>';

describe('A table of Word whose columns are narrower than the margins of their cells', () => {
  it('gets the widths that its cells name', () => {
    const cells = [cell(width(2000)), cell(width(3000))];
    expect(withRoomInNarrowCells(table([100, 100], cells), '')).toBe(table([2000, 3000], cells));
  });

  it('gets them whatever widths its cells had before a tracked change', () => {
    const former = `<w:tcPrChange w:id="1"><w:tcPr>${width(50)}</w:tcPr></w:tcPrChange>`;
    const cells = [cell(width(2000) + former)];
    expect(withRoomInNarrowCells(table([100], cells), '')).toBe(table([2000], cells));
  });

  it('gets columns of equal width if its widths are left to Word', () => {
    const cells = [cell('<w:tcW w:w="0" w:type="auto"/>'), cell('')];
    expect(withRoomInNarrowCells(table([100, 100], cells), '')).toBe(table([0, 0], cells));
  });

  it('gets columns of equal width if only some of its cells name theirs', () => {
    const cells = [cell(width(2000)), cell('')];
    expect(withRoomInNarrowCells(table([100, 100], cells), '')).toBe(table([0, 0], cells));
  });

  it.each([
    ['cells that name narrow widths', '', width(144), width(144) + noMargins],
    ['fixed columns', fixed, '', noMargins],
    [
      'margins of its cells',
      fixed,
      `<w:tcMar><w:top w:w="9"/>${mar(90)}</w:tcMar>`,
      `<w:tcMar><w:top w:w="9"/>${mar(0)}</w:tcMar>`,
    ],
  ])('loses the margins of its cells if it has %s', (_, properties, before, after) => {
    const of = (cellProperties: string): string =>
      table([144, 144, 3000], [cell(cellProperties), cell('<w:tcW/>', '<w:p/>'), cell('')], properties);
    expect(withRoomInNarrowCells(of(before), '')).toBe(of(after));
  });

  it('is one by the margins of its style, of the styles that this is based on, or of the table', () => {
    const style = (id: string, content: string): string =>
      `<w:style w:type="table" w:styleId="${id}">${content}</w:style>`;
    const cellMargins = `<w:tblCellMar>${mar(400)}</w:tblCellMar>`;
    const styles = style('Base', cellMargins) + style('Own', '<w:basedOn w:val="Base"/>') + style('Plain', '');
    const of = (properties: string, cellProperties = ''): string =>
      table([700], [cell(cellProperties)], fixed + properties);
    const styled = (id: string): string => `<w:tblStyle w:val="${id}"/>`;
    expect(withRoomInNarrowCells(of(styled('Own')), styles)).toBe(of(styled('Own'), noMargins));
    expect(withRoomInNarrowCells(of(cellMargins), styles)).toBe(of(cellMargins, noMargins));
    expect(withRoomInNarrowCells(of(styled('Plain')), styles)).toBe(of(styled('Plain')));
  });

  it('can be inside a cell', () => {
    const outer = (inner: string): string => table([900], [cell('', inner)], fixed);
    const of = (properties: string): string => outer(table([200], [cell(properties)], fixed));
    expect(withRoomInNarrowCells(of(''), '')).toBe(of(noMargins));
  });
});

describe('A table of Word stays as it is', () => {
  it.each([
    ['if its narrow columns are below wider cells', table([100, 100, 100], [cell('<w:gridSpan w:val="3"/>')])],
    ['if its narrow cells are empty', table([100, 900], [cell('', '<w:p/>'), cell('')])],
    [
      'if it is as wide as the page, and its grid only has the ratios',
      table([100, 100], [cell(''), cell('')], '<w:tblW w:w="5000" w:type="pct"/>'),
    ],
    [
      'if it is as wide as the page in another notation',
      table([100, 100], [cell(''), cell('')], '<w:tblW w:w="100%" w:type="pct"/>'),
    ],
    [
      'if it names a width in which its columns fit',
      table([100, 100], [cell(''), cell('')], `<w:tblW w:w="8000" w:type="dxa"/>${fixed}`),
    ],
    ['if its grid names no widths', table([0, 0], [cell(''), cell('')], fixed)],
    [
      'if only its former grid was narrow',
      table([900], [cell('')]).replace('</w:tblGrid>', '<w:tblGridChange><w:gridCol w:w="1"/></w:tblGridChange>$&'),
    ],
    [
      'if a narrow column only begins before the row',
      table([100, 900], [cell('')], '', '<w:trPr><w:gridBefore w:val="1"/></w:trPr>'),
    ],
  ])('%s', (_, xml) => expect(withRoomInNarrowCells(xml, '')).toBe(xml));
});

describe('Rotated text in a table of Word', () => {
  const height = '<w:trHeight w:val="780"/>';

  it.each([
    ['', `<w:trPr>${height}</w:trPr>`],
    ['<w:trPr/>', `<w:trPr>${height}</w:trPr>`],
    ['<w:trPr><w:tblHeader/></w:trPr>', `<w:trPr><w:tblHeader/>${height}</w:trPr>`],
  ])('gets a row of its height, whose properties were "%s"', (before, after) => {
    const of = (row: string): string => table([2000], [cell(rotated)], '', row);
    expect(withRoomInNarrowCells(of(before), '')).toBe(of(after));
    expect(withRoomInNarrowCells(of(after), '')).toBe(of(after));
  });

  it('loses the margins of a cell that leave no room for its line', () => {
    const of = (properties: string): string =>
      table([400], [cell(width(400) + rotated + properties)], '', `<w:trPr>${height}</w:trPr>`);
    expect(withRoomInNarrowCells(of(''), '')).toBe(of(noMargins));
  });
});

describe('A hostile Word document', () => {
  const narrow = table([100], [cell('')], fixed);
  const widened = table([100], [cell(noMargins)], fixed);

  it('may have any number of sections', () => {
    const sections = '<w:pgSz w:w="9000"/><w:pgMar w:left="1"/>'.repeat(200_000);
    expect(withRoomInNarrowCells(narrow + sections, '') === widened + sections).toBe(true);
  });

  it('may base any number of styles on each other, also in a circle', () => {
    const count = 200_000;
    const styled = (id: number, on: number): string =>
      `<w:style w:type="table" w:styleId="s${id}"><w:basedOn w:val="s${on}"/></w:style>`;
    const styles = Array.from({ length: count }, (_, id) => styled(id, (id + 1) % count)).join('');
    const of = (cells: string): string => table([100], [cells], `<w:tblStyle w:val="s0"/>${fixed}`);
    expect(withRoomInNarrowCells(of(cell('')).repeat(100), styles)).toBe(of(cell(noMargins)).repeat(100));
  });

  it.each([
    ['margins of a style', `<w:style w:type="table" w:styleId="a">${'<w:tblCellMar>'.repeat(300_000)}</w:style>`],
    ['a start tag of a style', `<w:style ${'w:type="table" '.repeat(300_000)}`],
  ])('is read in linear time if it does not end %s', (_, styles) => {
    expect(withRoomInNarrowCells(narrow, styles)).toBe(widened);
  });
});
