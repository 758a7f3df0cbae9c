const literalStrings = /\((?:\\[\s\S]|[^\\()])*\)/g;

/** The bytes of an object, from its number to before `\nendobj`. */
export type ObjectBytes = { start: number; end: number };

/** A PDF as Skia writes it: one uncompressed cross-reference table, and streams only in objects of their own. */
export type PdfObjects = {
  /** The trailer dictionary. */
  trailer: string;
  /** One more than the highest object number. */
  size: number;
  /** Where the cross-reference table begins. */
  tableStart: number;
  offsetOf: (object: number) => number;
  bytesOf: (object: number) => ObjectBytes;
  /** The object to which a dictionary refers by name. @throws if there is none */
  reference: (name: string, dictionary: string) => number;
  /** The text of an object without its strings. */
  dictionary: (object: number) => string;
};

/** Reads the offsets of the objects from the cross-reference table (ISO 32000-1, 7.5.4). */
export const openPdfObjects = (pdf: Buffer): PdfObjects => {
  const tail = pdf.toString('latin1', Math.max(0, pdf.length - 1024));
  const tableStart = Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(tail)?.[1]);
  const firstEntry = pdf.indexOf('\n', pdf.indexOf('\n', tableStart) + 1) + 1;
  const trailer = tail.slice(tail.lastIndexOf('trailer'), tail.lastIndexOf('startxref'));
  const offsetOf = (object: number) =>
    Number(pdf.toString('latin1', firstEntry + object * 20, firstEntry + object * 20 + 10));
  const bytesOf = (object: number) => ({ start: offsetOf(object), end: pdf.indexOf('\nendobj', offsetOf(object)) });
  const reference = (name: string, dictionary: string) => {
    const number = new RegExp(`/${name} (\\d+) 0 R`).exec(dictionary)?.[1];
    if (number === undefined) throw new Error(`The PDF has no /${name} at the expected place.`);
    return Number(number);
  };
  const dictionary = (object: number) => {
    const { start, end } = bytesOf(object);
    return pdf.toString('latin1', start, end).replace(literalStrings, '()');
  };
  const size = Number(/\/Size (\d+)/.exec(trailer)?.[1]);
  return { trailer, size, tableStart, offsetOf, bytesOf, reference, dictionary };
};

/**
 * The PDF with other objects in place of those with these numbers. `changed` are their texts, from the number to before
 * `\nendobj`. A new cross-reference table replaces the last one.
 */
export const replaceObjects = (pdf: Buffer, changed: ReadonlyMap<number, string>): Buffer => {
  const { trailer, size, tableStart, offsetOf } = openPdfObjects(pdf);
  const written: Buffer[] = [pdf.subarray(0, tableStart)];
  const offsets = new Map<number, number>();
  let length = tableStart;
  for (const [number, text] of changed) {
    const bytes = Buffer.from(`${text}\nendobj\n`, 'latin1');
    offsets.set(number, length);
    written.push(bytes);
    length += bytes.length;
  }
  const entries = Array.from({ length: size }, (_, number) => {
    const offset = offsets.get(number) ?? offsetOf(number);
    return `${String(offset).padStart(10, '0')} ${offset === 0 ? '65535 f' : '00000 n'} \n`;
  });
  written.push(Buffer.from(`xref\n0 ${size}\n${entries.join('')}${trailer}startxref\n${length}\n%%EOF\n`, 'latin1'));
  return Buffer.concat(written);
};

const pageTree = ({ trailer, reference, dictionary }: PdfObjects): number =>
  reference('Pages', dictionary(reference('Root', trailer)));

/** The number of pages of a PDF that the browser printed. @throws Error if it has another form */
export const countPages = (pdf: Buffer): number => {
  const objects = openPdfObjects(pdf);
  const count = /\/Count (\d+)/.exec(objects.dictionary(pageTree(objects)))?.[1];
  if (count === undefined) throw new Error('The page tree of the PDF has no count.');
  return Number(count);
};

/** A bound for damaged page trees. */
const maxTreeObjects = 1_000_000;

/** The numbers of the page objects, in the order of the pages. */
export function* pageObjects(objects: PdfObjects): Generator<number> {
  const next = [pageTree(objects)];
  for (let visited = 0; visited < maxTreeObjects; visited += 1) {
    const object = next.pop();
    if (object === undefined) return;
    const kids = /\/Kids \[([^\]]*)\]/.exec(objects.dictionary(object))?.[1];
    if (kids === undefined) yield object;
    else next.push(...[...kids.matchAll(/(\d+) 0 R/g)].map(([, kid]) => Number(kid)).toReversed());
  }
}

/** In points. */
export type MediaBox = { width: number; height: number };

/** @throws if the page has none of its own */
export const mediaBoxOf = (page: string): MediaBox => {
  const [, width, height] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(page) ?? [];
  if (width === undefined || height === undefined) throw new Error('A page of the PDF has no size.');
  return { width: Number(width), height: Number(height) };
};

const decodeName = (name: string): string =>
  name.replaceAll(/#([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** The index of the page of each named destination whose page the PDF has. */
export const pagesOfDestinations = (objects: PdfObjects): Map<string, number> => {
  const catalogue = objects.dictionary(objects.reference('Root', objects.trailer));
  if (!catalogue.includes('/Dests ')) return new Map();
  const indexes = new Map([...pageObjects(objects)].map((page, index) => [page, index]));
  const destinations = objects.dictionary(objects.reference('Dests', catalogue));
  return new Map(
    [...destinations.matchAll(/\/(\S+) \[(\d+) 0 R \/XYZ /g)].flatMap(([, name, page]) => {
      const index = indexes.get(Number(page));
      return index === undefined ? [] : [[decodeName(name!), index] as const];
    }),
  );
};

const elementIdStart = '(node';
const elementIdDigits = /^\d{8}(?=\))/;

/** The ids of structure elements, and where they are: 8 digits that count the nodes of all documents of the page. */
function* elementIds(pdf: Buffer): Generator<{ id: string; at: number }> {
  for (let found = pdf.indexOf(elementIdStart); found >= 0; found = pdf.indexOf(elementIdStart, found + 1)) {
    const at = found + elementIdStart.length;
    const id = elementIdDigits.exec(pdf.toString('latin1', at, at + 9))?.[0];
    if (id) yield { id, at };
  }
}

/**
 * Numbers the ids of the structure elements from 1 in place, so that they depend only on the document. Their order and
 * the length stay the same.
 */
export const renumberElementIds = (pdf: Buffer): void => {
  const found = [...elementIds(pdf)];
  const inOrder = [...new Set(found.map(({ id }) => id))].toSorted();
  const renumbered = new Map(inOrder.map((id, index) => [id, String(index + 1).padStart(id.length, '0')]));
  for (const { id, at } of found) pdf.write(renumbered.get(id)!, at, 'latin1');
};

const pdfDate = (date: Date) => `D:${date.toISOString().slice(0, 19).replace(/[-T:]/g, '')}+00'00'`;

/**
 * Sets both dates of the PDF in place (to the second, UTC; ISO 32000-1, 7.9.4). The length and all offsets stay the
 * same.
 */
export const setPdfDates = (pdf: Buffer, date: Date): void => {
  const { trailer, reference, bytesOf } = openPdfObjects(pdf);
  const { start, end } = bytesOf(reference('Info', trailer));
  const text = pdfDate(date);
  for (const name of ['CreationDate', 'ModDate']) {
    // Search from the end: the title is before the dates and may contain any text.
    const value = pdf.subarray(start, end).lastIndexOf(`/${name} (D:`) + start + name.length + 3;
    if (value < start + name.length + 3 || pdf.toString('latin1', value + text.length, value + text.length + 1) !== ')')
      throw new Error(`The PDF has no /${name} of the expected length.`);
    pdf.write(text, value, 'latin1');
  }
};
