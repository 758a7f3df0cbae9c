import { inflateSync } from 'node:zlib';
import { asBuffer } from '#libs/bytes/as-buffer.ts';
import {
  decodePDFRawStream,
  PDFArray,
  type PDFDict,
  type PDFDocument,
  PDFName,
  type PDFPage,
  type PDFRawStream,
} from '@cantoo/pdf-lib';

const replaced = new Set(['Length', 'Filter', 'DecodeParms'].map((key) => PDFName.of(key)));

const [filter, parameters, flate] = ['Filter', 'DecodeParms', 'FlateDecode'].map((key) => PDFName.of(key));

/** Node inflates much faster than pdf-lib, which also reads damaged streams. */
const decoded = (stream: PDFRawStream): Uint8Array => {
  if (stream.dict.get(filter!) === flate && !stream.dict.has(parameters!))
    try {
      return inflateSync(stream.contents);
    } catch {
      // The stream is damaged.
    }
  return decodePDFRawStream(stream).decode();
};

/** The decoded content of a stream, one character for each byte. */
export const contentOf = (stream: PDFRawStream): string => {
  const bytes = decoded(stream);
  return asBuffer(bytes).toString('latin1');
};

/** A stream with other content and the same dictionary. */
export const withContent = ({ context }: PDFDocument, { dict }: { dict: PDFDict }, content: string): PDFRawStream => {
  const changed = context.flateStream(Buffer.from(content, 'latin1'));
  for (const [key, value] of dict.entries()) if (!replaced.has(key)) changed.dict.set(key, value);
  return changed;
};

/** The content of a page, whose streams are one after the other. */
export const pageContent = ({ node, doc }: PDFPage): string => {
  const contents = node.Contents();
  const parts = contents instanceof PDFArray ? contents.asArray() : contents ? [contents] : [];
  return parts.map((part) => contentOf(doc.context.lookup(part) as PDFRawStream)).join('\n');
};
