import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';
import {
  PDFCatalog,
  PDFContext,
  PDFDict,
  PDFNumber,
  PDFObjectParser,
  type PDFObject,
  PDFRef,
  PDFStream,
} from '@cantoo/pdf-lib';
import { declareExtension, openObjectEncryption, type PdfEncryption } from '../encryption.ts';
import { openPdfWriter } from '../merge/pdf-writer.ts';
import { name } from '../names-and-texts.ts';

const chunkBytes = 2 ** 20;
const rowBytes = 20;

const read = (file: number, from: number, length: number, bytes = Buffer.alloc(length)): Buffer => {
  let done = 0;
  for (let count = -1; count !== 0 && done < length; done += count)
    count = readSync(file, bytes, done, length - done, from + done);
  if (done < length) throw new RangeError('the composed PDF ends too early');
  return bytes.subarray(0, length);
};

const sha256Of = (file: number, size: number): string => {
  const digest = createHash('sha256');
  const chunk = Buffer.alloc(chunkBytes);
  for (let from = 0; from < size; from += chunkBytes)
    digest.update(read(file, from, Math.min(chunkBytes, size - from), chunk));
  return digest.digest('hex');
};

/** The cross-reference table and the trailer as `openPdfWriter` writes them. Unused numbers have the offset 0. */
const readTable = (file: number, size: number) => {
  const end = read(file, Math.max(0, size - 2048), Math.min(2048, size)).toString('latin1');
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(end)![1]);
  const reference = (key: string): number => Number(new RegExp(`/${key} (\\d+) 0 R`).exec(end)![1]);
  const count = Number(/^xref\n0 (\d+)\n/.exec(read(file, start, 32).toString('latin1'))![1]);
  const rows = read(file, start + `xref\n0 ${count}\n`.length, count * rowBytes);
  const offsets = Array.from({ length: count }, (_, at) =>
    rows[at * rowBytes + 17] === 'n'.charCodeAt(0)
      ? Number(rows.toString('latin1', at * rowBytes, at * rowBytes + 10))
      : 0,
  );
  return { start, offsets, root: reference('Root'), info: reference('Info') };
};

/**
 * Encrypts a PDF in a file as `encryptDocument` does, but one object after the other, so that it takes the memory of the
 * largest one. The PDF is one of `openPdfWriter`.
 * @param file the descriptor of the file, of `size` bytes
 * @returns the bytes written
 */
export const encryptFile = (
  { file, size }: { file: number; size: number },
  encryption: PdfEncryption,
  requestedAt: string,
  write: (bytes: Uint8Array) => void,
): number => {
  const { start, offsets, root, info } = readTable(file, size);
  const { encrypt, dictionary } = openObjectEncryption(encryption, { sha256: sha256Of(file, size), requestedAt });
  const inOrder = [...offsets.keys()].filter((one) => offsets[one] !== 0).toSorted((a, b) => offsets[a]! - offsets[b]!);
  const positionAt = (index: number): { from: number; length: number } => {
    const number = inOrder[index]!;
    const from = offsets[number]! + `${number} 0 obj\n`.length;
    return { from, length: (offsets[inOrder[index + 1] ?? -1] ?? start) - from };
  };
  // One buffer for all objects: the memory of many would be freed late.
  const buffer = Buffer.alloc(inOrder.reduce((longest, _, index) => Math.max(longest, positionAt(index).length), 0));
  /** The object is valid until the next one is read. */
  const objectAt = (index: number): PDFObject => {
    const { from, length } = positionAt(index);
    return PDFObjectParser.forBytes(read(file, from, length, buffer), PDFContext.create()).parseObject();
  };
  const catalog = objectAt(inOrder.indexOf(root));
  const metadata = catalog instanceof PDFDict ? catalog.get(name('Metadata')) : undefined;
  const writer = openPdfWriter(write);
  for (let number = 1; number < offsets.length; number += 1) writer.reserve();
  for (const [index, number] of inOrder.entries()) {
    const object = objectAt(index);
    if (number === root && object instanceof PDFCatalog) declareExtension(object);
    const encrypted = encrypt(PDFRef.of(number), object, metadata);
    if (encrypted instanceof PDFStream) {
      const stream = encrypted.getContents();
      encrypted.dict.set(name('Length'), PDFNumber.of(stream.byteLength));
      writer.write(number, encrypted.dict.toString(), stream);
    } else writer.write(number, encrypted.toString());
  }
  const dictionaryNumber = writer.reserve();
  writer.write(dictionaryNumber, dictionary(PDFContext.create()).toString());
  return writer.end(root, info, dictionaryNumber);
};
