import { replaceElements } from './tags.ts';
import {
  attributeOf,
  type Cell,
  defaultMargins,
  lengthIn,
  type Margins,
  type Range,
  readWordTables,
  type Row,
  type Table,
  widthInGrid,
} from './word-tables.ts';

// LibreOffice takes the widths of a Word table from its grid, and prints a cell without its text if the margins of the
// cell leave no width for it. Word prints the text, and widens columns whose widths are not fixed. Some programs
// write the same small width for each column, and leave the widths to Word. Lengths are in twentieths of a point.

type Edit = Range & { text: string };

/** The width of the text on a page of Letter with the default margins of Word. */
const defaultTextWidth = 9360;
const withoutMargins = '<w:left w:w="0" w:type="dxa"/><w:right w:w="0" w:type="dxa"/>';

/** The height of a rotated line, and the length of one of its characters, in letters of 11 points. */
const rotatedLine = { height: 280, character: 130, maxLength: 3000 };

const mayLoseText = /<w:gridCol\s[^<>]*\bw:w\s*=\s*["']\d{1,3}["']|<w:textDirection\s/;

const tagIn = (xml: string, names: string): string => new RegExp(`<w:(?:${names})\\s[^<>]*>`).exec(xml)?.[0] ?? '';

/** The margins of cells that a table style names itself. */
const ownMargins = (style: string): Partial<Margins> => {
  const start = style.indexOf('<w:tblCellMar>');
  const end = start < 0 ? -1 : style.indexOf('</w:tblCellMar>', start);
  if (end < 0) return {};
  const inside = style.slice(start, end);
  const [left, right] = [lengthIn(tagIn(inside, 'left|start')), lengthIn(tagIn(inside, 'right|end'))];
  return { ...(left !== undefined && { left }), ...(right !== undefined && { right }) };
};

/** More styles than authors base on each other; a document may have any number. */
const maxBasedOn = 50;

/** The margins of cells by the id of a table style, with those of the styles that it is based on. */
const readMarginsOfStyles = (styles: string): ((id: string | undefined) => Margins) => {
  const known = new Map<string, { basedOn: string | undefined; margins: Partial<Margins> }>();
  let byDefault: string | undefined;
  replaceElements(styles, /<w:style\s[^<>]*>/g, '</w:style>', (style) => {
    const start = /^<[^<>]*>/.exec(style)![0];
    if (attributeOf(start, 'type') !== 'table') return style;
    const id = attributeOf(start, 'styleId');
    if (!id) return style;
    known.set(id, { basedOn: attributeOf(tagIn(style, 'basedOn'), 'val'), margins: ownMargins(style) });
    if (/^(?:1|true|on)$/.test(attributeOf(start, 'default') ?? '')) byDefault = id;
    return style;
  });
  return (id = byDefault) => {
    const chain: Partial<Margins>[] = [];
    for (let at = known.get(id ?? ''); at && chain.length < maxBasedOn; at = known.get(at.basedOn ?? ''))
      chain.push(at.margins);
    return Object.assign({}, defaultMargins, ...chain.toReversed());
  };
};

/** The width of the text of the narrowest section. */
const textWidthOf = (xml: string): number => {
  const length = (tag: string, name: string): number => Number(attributeOf(tag, name) ?? 0);
  let narrowest = defaultTextWidth;
  let size = '';
  for (const [tag, name] of xml.matchAll(/<w:(pgSz|pgMar)\s[^<>]*>/g)) {
    if (name === 'pgSz') size = tag;
    else if (size) {
      const width = length(size, 'w') - length(tag, 'left') - length(tag, 'right');
      if (width > 0) narrowest = Math.min(narrowest, width);
      size = '';
    }
  }
  return narrowest;
};

/** How much wider than its grid LibreOffice prints a table. */
const scaleOf = ({ edges, width, outer }: Table, textWidth: number): number => {
  const total = edges.at(-1)!;
  if (!width || total === 0) return 1;
  const around = outer ? widthInGrid(outer.table, outer.cell) : textWidth;
  const wanted = width.unit === 'pct' ? (around * width.value) / 5000 : width.unit === 'dxa' ? width.value : 0;
  return wanted > 0 ? wanted / total : 1;
};

/** The widths of the columns as their cells name them; equal ones if a column has none. */
const gridOfCells = ({ gridAt, cells }: Table): string[] => {
  const widths = new Map<number, number>();
  for (const { column, span, width } of cells) if (span === 1 && width) widths.set(column, widths.get(column) ?? width);
  return gridAt.map((_, column) => String(widths.size === gridAt.length ? widths.get(column) : 0));
};

/** Adds an element to the properties of a row or cell, which begin after `start` if there are none yet. */
const addProperty = (xml: string, name: string, { start, properties }: Row | Cell, property: string): Edit => {
  if (!properties) return { from: start, to: start, text: `<${name}>${property}</${name}>` };
  if (xml.startsWith('/>', properties.to - 2)) return { ...properties, text: `<${name}>${property}</${name}>` };
  const at = properties.to - `</${name}>`.length;
  return { from: at, to: at, text: property };
};

const removeMargins = (xml: string, cell: Cell): Edit => {
  const { marginsAt } = cell;
  if (!marginsAt) return addProperty(xml, 'w:tcPr', cell, `<w:tcMar>${withoutMargins}</w:tcMar>`);
  const others = xml
    .slice(marginsAt.from, marginsAt.to)
    .replace(/<w:(?:left|right|start|end)[\s/][^<>]*>/g, '')
    .replace(/^<w:tcMar[^<>]*>|<\/w:tcMar>$/g, '');
  return { ...marginsAt, text: `<w:tcMar>${others}${withoutMargins}</w:tcMar>` };
};

/** LibreOffice makes a row without a height no higher for its rotated text. */
const addHeights = (xml: string, { cells }: Table): Edit[] => {
  const characters = new Map<Row, number>();
  for (const cell of cells)
    if (cell.isRotated && cell.isFilled && !cell.row.hasHeight)
      characters.set(cell.row, Math.max(characters.get(cell.row) ?? 0, cell.characters));
  return [...characters].map(([row, count]) => {
    const height = Math.min(rotatedLine.maxLength, (count + 2) * rotatedLine.character);
    return addProperty(xml, 'w:trPr', row, `<w:trHeight w:val="${height}"/>`);
  });
};

const editsOf = (xml: string, table: Table, styleMargins: Margins, textWidth: number): Edit[] => {
  const scale = scaleOf(table, textWidth);
  const isLost = (width: number, cell: Cell): boolean => {
    const { left, right } = { ...styleMargins, ...table.margins, ...cell.margins };
    return width <= left + right + (cell.isRotated ? rotatedLine.height : 0);
  };
  const heights = addHeights(xml, table);
  // A grid without widths leaves them to LibreOffice.
  if (table.edges.at(-1) === 0) return heights;
  const lost = table.cells.filter((cell) => cell.isFilled && isLost(widthInGrid(table, cell) * scale, cell));
  if (lost.length === 0) return heights;
  const needsGrid = lost.some((cell) => cell.width && !isLost(cell.width, cell));
  if (!needsGrid && (table.isFixed || lost.some(({ width }) => width)))
    return [...heights, ...lost.map((cell) => removeMargins(xml, cell))];
  const widths = gridOfCells(table);
  return [...heights, ...table.gridAt.map((at, column) => ({ ...at, text: `<w:gridCol w:w="${widths[column]}"/>` }))];
};

const withEdits = (xml: string, edits: readonly Edit[]): string => {
  const kept: string[] = [];
  let position = 0;
  for (const { from, to, text } of edits.toSorted((one, other) => one.from - other.from)) {
    kept.push(xml.slice(position, from), text);
    position = to;
  }
  return kept.length === 0 ? xml : [...kept, xml.slice(position)].join('');
};

/**
 * Returns a function that changes the tables of a part of a Word document so that LibreOffice prints the text of cells
 * that are narrower than their margins, and rotated text. `styles` is the part with the styles, or empty; it is read once
 * for all parts, and only if a table needs it.
 */
export const giveRoomInNarrowCells = (styles: string): ((xml: string) => string) => {
  let marginsOf: ReturnType<typeof readMarginsOfStyles> | undefined;
  return (xml) => {
    if (!mayLoseText.test(xml)) return xml;
    const marginsOfStyle = (marginsOf ??= readMarginsOfStyles(styles));
    const textWidth = textWidthOf(xml);
    return withEdits(
      xml,
      readWordTables(xml).flatMap((table) => editsOf(xml, table, marginsOfStyle(table.style), textWidth)),
    );
  };
};
