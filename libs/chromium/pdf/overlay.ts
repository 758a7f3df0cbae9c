import { setImmediate as nextTurn } from 'node:timers/promises';
import { mediaBoxOf, openPdfObjects, pageObjects, type PdfObjects } from './objects.ts';

type Piece = { object: number; bytes: Buffer };

const strings = /\((?:\\[\s\S]|[^\\()])*\)|(\d+) 0 R/g;
const streamStart = '>> stream\n';

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const objectOf = (object: number, text: string): Piece => ({
  object,
  bytes: latin1(`${object} 0 obj\n${text}\nendobj\n`),
});
const streamOf = (object: number, content: string): Piece =>
  objectOf(object, `<</Length ${content.length}>> stream\n${content}\nendstream`);

/** Where each object ends: at the next object or the table. */
const objectEnds = ({ size, offsetOf, tableStart }: PdfObjects): Map<number, number> => {
  const numbers = Array.from({ length: size - 1 }, (_, index) => index + 1).filter((number) => offsetOf(number) > 0);
  const inOrder = numbers.toSorted((one, other) => offsetOf(one) - offsetOf(other));
  return new Map(
    inOrder.map((number, at) => [number, at + 1 < inOrder.length ? offsetOf(inOrder[at + 1]!) : tableStart]),
  );
};

const yieldEvery = 500;

/** Copies the objects of a PDF. `rewrite` changes the text of an object before its stream; null omits the object. */
const copyObjects = async (
  pdf: Buffer,
  objects: PdfObjects,
  rewrite: (object: number, text: () => string) => { object: number; text: string } | 'same' | null,
): Promise<Piece[]> => {
  const pieces: Piece[] = [];
  let count = 0;
  for (const [object, end] of objectEnds(objects)) {
    if ((count += 1) % yieldEvery === 0) await nextTurn();
    const bytes = pdf.subarray(objects.offsetOf(object), end);
    const stream = bytes.indexOf(streamStart);
    const textEnd = stream === -1 ? bytes.length : stream + 2;
    const result = rewrite(object, () => bytes.toString('latin1', bytes.indexOf('<'), textEnd));
    if (result === 'same') pieces.push({ object, bytes });
    else if (result)
      pieces.push({
        object: result.object,
        bytes: Buffer.concat([latin1(`${result.object} 0 obj\n${result.text}`), bytes.subarray(textEnd)]),
      });
  }
  return pieces;
};

const writePdf = (header: Buffer, pieces: readonly Piece[], trailer: string, size: number): Buffer => {
  const offsets = Array.from({ length: size }, () => 0);
  let offset = header.length;
  for (const { object, bytes } of pieces) {
    offsets[object] = offset;
    offset += bytes.length;
  }
  const entry = (at: number) => (at === 0 ? '0000000000 65535 f \n' : `${String(at).padStart(10, '0')} 00000 n \n`);
  const table = `xref\n0 ${size}\n${offsets.map(entry).join('')}`;
  const ownTrailer = trailer.replace(/\/Size \d+/, `/Size ${size}`);
  const end = `${ownTrailer}startxref\n${offset}\n%%EOF\n`;
  return Buffer.concat([header, ...pieces.map(({ bytes }) => bytes), latin1(table + end)]);
};

const addToPage = (page: string, form: number, annotations: string, contents: readonly [number, number]): string => {
  const withForm = page.includes('/XObject <<')
    ? page.replace('/XObject <<', `/XObject <</Overlay ${form} 0 R\n`)
    : page.replace('/Resources <<', `/Resources <</XObject <</Overlay ${form} 0 R>>\n`);
  const withLinks = !annotations
    ? withForm
    : withForm.includes('/Annots [')
      ? withForm.replace('/Annots [', `/Annots [${annotations} `)
      : withForm.replace('/Contents ', `/Annots [${annotations}]\n/Contents `);
  const result = withLinks.replace(/\/Contents (\d+ 0 R)/, `/Contents [${contents[0]} 0 R $1 ${contents[1]} 0 R]`);
  if (!result.includes(`/Overlay ${form} 0 R`) || result === withLinks)
    throw new Error('A page of the PDF does not have the expected form.');
  return result;
};

/**
 * Draws each page of the second PDF over the page of the same number of the first, top on top. Both are as the browser
 * prints them; so is the result.
 */
export const overlayPages = async (pdf: Buffer, overlay: Buffer): Promise<Buffer> => {
  const [below, above] = [openPdfObjects(pdf), openPdfObjects(overlay)];
  const [pages, forms] = [[...pageObjects(below)], [...pageObjects(above)]];
  if (pages.length !== forms.length) throw new Error(`${pages.length} pages have ${forms.length} overlays.`);
  const renumbered = (object: number): number => object + below.size - 1;
  const renumberAll = (text: string): string =>
    text.replace(strings, (match, object: string | undefined) =>
      object ? `${renumbered(Number(object))} 0 R` : match,
    );

  const [begin, firstEnd] = [below.size + above.size - 1, below.size + above.size];
  const ends = new Map<string, number>();
  const added = new Map<number, { form: number; annotations: string; end: number }>();
  const resources = new Map<number, string>();
  for (const [index, page] of pages.entries()) {
    const formPage = above.dictionary(forms[index]!);
    const content = above.reference('Contents', formPage);
    const [{ height }, box] = [mediaBoxOf(below.dictionary(page)), mediaBoxOf(formPage)];
    const draw = `Q q 1 0 0 1 0 ${Number((height - box.height).toFixed(5))} cm /Overlay Do Q`;
    const end = ends.get(draw) ?? firstEnd + ends.size;
    ends.set(draw, end);
    const own = /\/Resources (<<[\s\S]*?>>)\n\/MediaBox/.exec(formPage)?.[1];
    if (own === undefined) throw new Error('A page of the overlay does not have the expected form.');
    resources.set(content, `/Type /XObject\n/Subtype /Form\n/BBox [0 0 ${box.width} ${box.height}]\n/Resources ${own}`);
    const annotations = renumberAll(/\/Annots \[([^\]]*)\]/.exec(formPage)?.[1] ?? '');
    added.set(page, { form: renumbered(content), annotations, end });
    if (index % yieldEvery === yieldEvery - 1) await nextTurn();
  }
  const omitted = new Set([...forms, above.reference('Info', above.trailer), above.reference('Root', above.trailer)]);
  const ownPieces = await copyObjects(pdf, below, (object, text) => {
    const page = added.get(object);
    return page ? { object, text: addToPage(text(), page.form, page.annotations, [begin, page.end]) } : 'same';
  });
  const overlayPieces = await copyObjects(overlay, above, (object, text) => {
    if (omitted.has(object)) return null;
    const form = resources.get(object);
    const source = text();
    if (source.startsWith('<</Type /Pages')) return null;
    const changed = form === undefined ? source : source.replace('<<', `<<${form}\n`);
    return { object: renumbered(object), text: renumberAll(changed) };
  });
  const drawing = [streamOf(begin, 'q'), ...[...ends].map(([content, object]) => streamOf(object, content))];
  const header = pdf.subarray(0, below.offsetOf(ownPieces[0]!.object));
  return writePdf(header, [...ownPieces, ...overlayPieces, ...drawing], below.trailer, firstEnd + ends.size);
};
