import { createHash } from 'node:crypto';

/** Writes the objects of a PDF one after the other, and keeps only their offsets. */
export type PdfWriter = {
  /** The number of an object that is written later. */
  reserve(): number;
  /** Writes an object. `text` has one character for each byte. */
  write(number: number, text: string, stream?: Uint8Array): void;
  /** Writes a new object. Returns its number. */
  append(text: string): number;
  /**
   * Writes the cross-reference table and the trailer, with the number of the encryption dictionary if there is one.
   * Returns the size of the file in bytes.
   */
  end(root: number, info: number, encryption?: number): number;
};

/** A binary comment marks the file as binary (ISO 32000-1, 7.5.2). */
const header = '%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n';
const entriesAtOnce = 4096;

/** The file identifier is the hash of all objects, so the same objects always give the same bytes. */
export const openPdfWriter = (writeBytes: (bytes: Uint8Array) => void): PdfWriter => {
  const offsets: number[] = [0];
  const digest = createHash('sha256');
  let size = 0;
  const put = (bytes: Uint8Array): void => {
    digest.update(bytes);
    size += bytes.byteLength;
    writeBytes(bytes);
  };
  const putText = (text: string): void => put(Buffer.from(text, 'latin1'));
  const entry = (offset: number): string =>
    offset === 0 ? '0000000000 65535 f \n' : `${String(offset).padStart(10, '0')} 00000 n \n`;
  putText(header);
  const reserve = (): number => offsets.push(0) - 1;
  const write: PdfWriter['write'] = (number, text, stream) => {
    offsets[number] = size;
    putText(`${number} 0 obj\n${text}`);
    if (stream) {
      putText('\nstream\n');
      put(stream);
      putText('\nendstream');
    }
    putText('\nendobj\n');
  };
  return {
    reserve,
    write,
    append: (text) => {
      const number = reserve();
      write(number, text);
      return number;
    },
    end: (root, info, encryption) => {
      const encrypt = encryption === undefined ? '' : ` /Encrypt ${encryption} 0 R`;
      const identifier = `<${digest.copy().digest('hex').slice(0, 32)}>`;
      const start = size;
      putText(`xref\n0 ${offsets.length}\n`);
      for (let from = 0; from < offsets.length; from += entriesAtOnce)
        putText(
          offsets
            .slice(from, from + entriesAtOnce)
            .map(entry)
            .join(''),
        );
      putText(
        `trailer\n<</Size ${offsets.length} /Root ${root} 0 R /Info ${info} 0 R${encrypt} /ID [${identifier} ${identifier}]>>\n` +
          `startxref\n${start}\n%%EOF\n`,
      );
      return size;
    },
  };
};
