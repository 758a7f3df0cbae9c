import { closeSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { PDFDict, PDFDocument, PDFHexString, PDFString } from '@cantoo/pdf-lib';
import { ApiError } from '#contracts/http/api-error.ts';
import type { PdfMetadataOption } from '#contracts/http/pdf-metadata.ts';
import { bytesToMb } from '#libs/sizes/sizes.ts';
import { attachedFilesOf, facturXMetadata, type FilesInput } from '../attached-files.ts';
import { attachFiles } from '../attachments.ts';
import { completeCatalog, metadataOf, type Standards } from '../catalog.ts';
import { conformPages } from '../conform.ts';
import type { PdfEncryption } from '../encryption.ts';
import { loadPdf } from '../load-and-save.ts';
import { type Merged, type MergePart, openMerge } from '../merge/merge.ts';
import { name } from '../names-and-texts.ts';
import { setPageLabels } from '../page-labels.ts';
import { openStamps, stampPages, type Stamps } from '../stamp.ts';
import { encryptFile } from './encrypt-file.ts';
import { errorInPart } from './errors.ts';

/**
 * A PDF in a file. `origin` is how errors name it, such as `parts[3]`. `namesLanguage` is for standards;
 * `firstPage` is the number of its first page in the whole, from 1.
 */
export type PartFile = MergePart & {
  file: string;
  origin: string;
  namesLanguage: boolean;
  firstPage: number;
};

export type ComposeInput = FilesInput & {
  parts: PartFile[];
  /** The file that is written. */
  output: string;
  maxBytes: number | null;
  hasOutline: boolean;
  isTagged: boolean;
  metadata: PdfMetadataOption;
  standards: Standards | null;
  stamps: Stamps | null;
  encryption: PdfEncryption | null;
  /** ISO 8601. */
  requestedAt: string;
};

export type ComposeOutput = Merged;

const informationKeys = ['Creator', 'Producer'] as const;

const pdfDate = (iso: string): PDFString => PDFString.of(`D:${iso.slice(0, 19).replaceAll(/[-T:]/g, '')}+00'00'`);

/** A PDF without pages, with what the whole document says about itself. */
const createBase = async (first: PDFDocument, input: ComposeInput) => {
  const { metadata, standards, requestedAt, parts, stamps } = input;
  const base = await PDFDocument.create({ updateMetadata: false });
  const { context } = base;
  const own = first.context.lookup(first.context.trailerInfo.Info);
  const information = context.obj({ CreationDate: pdfDate(requestedAt), ModDate: pdfDate(requestedAt) });
  for (const key of informationKeys) {
    const value = own instanceof PDFDict ? own.lookup(name(key)) : undefined;
    if (value instanceof PDFString || value instanceof PDFHexString) information.set(name(key), value);
  }
  information.set(name('Title'), PDFHexString.fromText(parts.find(({ isListed }) => isListed)?.title ?? ''));
  context.trailerInfo.Info = context.register(information);
  if (stamps?.pageNumbers) setPageLabels(base, stamps.pageNumbers.numbered);
  attachFiles(base, attachedFilesOf(input));
  completeCatalog(base, metadataOf(base, { metadata, requestedAt }), standards, facturXMetadata(input));
  return base;
};

const pdfTooLarge = (maxBytes: number, bytes: number): ApiError => {
  const sizes = { max_size_mb: bytesToMb(maxBytes), generated_size_mb: bytesToMb(bytes) };
  return ApiError.of(
    'pdf_too_large',
    `The PDF has ${sizes.generated_size_mb} MB; the account's plan allows ${sizes.max_size_mb} MB.`,
    sizes,
  );
};

/**
 * Writes the PDFs of the parts into one file, in the memory of the largest part. Runs in a worker process.
 * @throws ApiError conformance_not_met and others, which name the part; pdf_too_large
 */
export const composePdf = async (input: ComposeInput): Promise<ComposeOutput> => {
  const { encryption, output, maxBytes, requestedAt } = input;
  if (!encryption) return writeFile(output, maxBytes, (write) => mergeParts(input, write));
  const plain = `${output}.plain`;
  const merged = await writeFile(plain, maxBytes, (write) => mergeParts(input, write));
  const file = openSync(plain, 'r');
  try {
    return await writeFile(output, maxBytes, (write) => ({
      ...merged,
      bytes: encryptFile({ file, size: merged.bytes }, encryption, requestedAt, write),
    }));
  } finally {
    closeSync(file);
    unlinkSync(plain);
  }
};

type Write = (bytes: Uint8Array) => void;

/** Writes a file of at most `maxBytes`. @throws ApiError pdf_too_large */
const writeFile = async (
  path: string,
  maxBytes: number | null,
  make: (write: Write) => ComposeOutput | Promise<ComposeOutput>,
): Promise<ComposeOutput> => {
  const file = openSync(path, 'w', 0o600);
  let size = 0;
  try {
    const made = await make((bytes) => {
      size += bytes.byteLength;
      if (maxBytes === null || size <= maxBytes) writeAll(file, bytes);
    });
    if (maxBytes !== null && size > maxBytes) throw pdfTooLarge(maxBytes, size);
    return made;
  } finally {
    closeSync(file);
  }
};

const mergeParts = async (input: ComposeInput, write: Write): Promise<ComposeOutput> => {
  const { parts, standards } = input;
  const merge = openMerge(parts, input, write);
  const stamps = input.stamps ? await openStamps(input.stamps) : null;
  let base: PDFDocument | null = null;
  for (const part of parts)
    try {
      const document = await loadPdf(readFileSync(part.file));
      base ??= await createBase(document, input);
      if (stamps) stampPages(document, stamps, part);
      if (standards) conformPages(document, { ...part, standards });
      merge.add(document);
    } catch (error) {
      throw errorInPart(part.origin, error);
    }
  return merge.end(base!);
};

const writeAll = (file: number, bytes: Uint8Array): void => {
  for (let from = 0; from < bytes.byteLength;) from += writeSync(file, bytes, from, bytes.byteLength - from);
};
