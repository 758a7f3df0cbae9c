import { hash } from 'node:crypto';
import { PDFDict, type PDFDocument, PDFHexString, type PDFRef, PDFString } from '@cantoo/pdf-lib';
import type { Relationship } from '#contracts/http/attachments.ts';
import { name } from './names-and-texts.ts';

/** `description` and `mimeType` may be absent; `modifiedAt` is ISO 8601. */
export type AttachedFile = {
  name: string;
  mimeType?: string | undefined;
  bytes: Uint8Array;
  relationship: Relationship;
  description?: string | undefined;
  modifiedAt: string;
};

const embedFile = ({ context }: PDFDocument, { bytes, mimeType, modifiedAt }: AttachedFile): PDFRef => {
  const date = PDFString.fromDate(new Date(modifiedAt));
  const stream = context.flateStream(bytes, {
    Type: 'EmbeddedFile',
    Subtype: name(mimeType ?? 'application/octet-stream'),
    Params: { Size: bytes.byteLength, ModDate: date, CheckSum: PDFHexString.of(hash('md5', bytes, 'hex')) },
  });
  return context.register(stream);
};

/** The name for readers that know no Unicode. */
const asciiName = (text: string): PDFHexString =>
  PDFHexString.of(Buffer.from(text.replaceAll(/[^\u0020-\u007e]/gu, '_'), 'latin1').toString('hex'));

const fileSpecification = (document: PDFDocument, file: AttachedFile): PDFRef => {
  const { context } = document;
  const embedded = embedFile(document, file);
  return context.register(
    context.obj({
      Type: 'Filespec',
      F: asciiName(file.name),
      UF: PDFHexString.fromText(file.name),
      EF: { F: embedded, UF: embedded },
      Desc: PDFHexString.fromText(file.description ?? file.name),
      AFRelationship: name(file.relationship),
    }),
  );
};

/** The keys of a name tree are sorted by their bytes, which have two for each UTF-16 unit. */
const compareNames = (one: AttachedFile, other: AttachedFile): number =>
  one.name < other.name ? -1 : one.name > other.name ? 1 : 0;

/** Attaches files to the document as a whole (ISO 32000-2, 14.13). The PDF has no other attachments. */
export const attachFiles = (document: PDFDocument, files: readonly AttachedFile[]): void => {
  if (files.length === 0) return;
  const { context, catalog } = document;
  const sorted = files.toSorted(compareNames).map((file) => ({ file, reference: fileSpecification(document, file) }));
  const names = catalog.lookupMaybe(name('Names'), PDFDict) ?? context.obj({});
  names.set(
    name('EmbeddedFiles'),
    context.obj({ Names: sorted.flatMap(({ file, reference }) => [PDFHexString.fromText(file.name), reference]) }),
  );
  catalog.set(name('Names'), names);
  catalog.set(name('AF'), context.obj(sorted.map(({ reference }) => reference)));
};
