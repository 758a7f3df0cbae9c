/** An object of a PDF as its source: a dictionary, or a dictionary with the bytes of a stream. */
export type PdfObjectSource = string | { dictionary: string; stream: Uint8Array | string };

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');

/**
 * A PDF of any objects by their numbers, also of wrong ones. The catalog is object 1. `trailer` is added to the trailer.
 */
export const buildPdf = (objects: Readonly<Record<number, PdfObjectSource>>, trailer = ''): Uint8Array => {
  const parts: Buffer[] = [bytesOf('%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n')];
  const offsets = new Map<number, number>();
  let length = parts[0]!.length;
  const add = (bytes: Buffer): void => {
    parts.push(bytes);
    length += bytes.length;
  };
  for (const [number, object] of Object.entries(objects)) {
    offsets.set(Number(number), length);
    if (typeof object === 'string') {
      add(bytesOf(`${number} 0 obj\n${object}\nendobj\n`));
      continue;
    }
    const stream = typeof object.stream === 'string' ? bytesOf(object.stream) : Buffer.from(object.stream);
    add(bytesOf(`${number} 0 obj\n<< ${object.dictionary} /Length ${stream.length} >>\nstream\n`));
    add(stream);
    add(bytesOf('\nendstream\nendobj\n'));
  }
  const size = Math.max(...offsets.keys()) + 1;
  const start = length;
  const rows = Array.from({ length: size - 1 }, (_, at) => {
    const offset = offsets.get(at + 1);
    return offset === undefined ? '0000000000 65535 f \n' : `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  add(bytesOf(`xref\n0 ${size}\n0000000000 65535 f \n${rows.join('')}`));
  add(bytesOf(`trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`));
  return new Uint8Array(Buffer.concat(parts));
};

/** The objects of a PDF of one page with a line of text. */
export const onePage: Readonly<Record<number, PdfObjectSource>> = {
  1: '<< /Type /Catalog /Pages 2 0 R >>',
  2: '<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 300 200] /Resources << /Font << /F1 5 0 R >> >> >>',
  3: '<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>',
  4: { dictionary: '', stream: 'BT /F1 18 Tf 20 100 Td (Imported text) Tj ET' },
  5: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
};
