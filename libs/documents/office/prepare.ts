import { zipSync } from 'fflate';
import { ApiError } from '#contracts/http/api-error.ts';
import { asBuffer } from '#libs/bytes/as-buffer.ts';
import type { OfficeFormat } from '#libs/office/port.ts';
import { readDocx } from '../docx/archive.ts';
import { embeddedDocumentsOf, findUnprintedDocuments } from '../docx/embedded-documents.ts';
import { readProperties } from '../docx/properties.ts';
import { scriptFreeClassification } from '../html/classify.ts';
import { metadataMember } from '../html/meta-elements.ts';
import type { PreparedDocument } from '../prepared-document.ts';
import {
  type ArchiveBudget,
  archiveError,
  checkXml,
  isXmlPart,
  newArchiveBudget,
  type Parts,
  unpackOffice,
} from './archive.ts';
import { checkMainPart, checkSignature, decodeOffice, isZip } from './formats.ts';
import { findIgnoredFields } from './ignored-fields.ts';
import { neutralise } from './neutralise.ts';
import { neutraliseRtf } from './rtf.ts';
import { withOnePagePerSheet } from './sheets.ts';
import { readXml } from './xml-encoding.ts';

const packaged: ReadonlySet<OfficeFormat> = new Set(['docx', 'odt', 'xlsx', 'pptx']);

/** The type of an OpenDocument file is its first part, and not compressed (ODF 1.3, part 2, 3.3). */
const pack = (parts: Parts): Uint8Array => {
  const type = [...parts].filter(([path]) => path === 'mimetype');
  const others = [...parts].filter(([path]) => path !== 'mimetype');
  return zipSync(Object.fromEntries([...type, ...others]), { level: 0, mtime: new Date(1980, 0, 1) });
};

/** The signature of the record at the end of an archive. */
const endOfArchive = 'PK\u0005\u0006';

/** LibreOffice takes a document without any element for an empty one. @throws ApiError */
const requireText = (format: OfficeFormat, parts: Parts): void => {
  const main = parts.get(format === 'odt' ? 'content.xml' : 'word/document.xml');
  if (main && readXml(main)?.includes('<') === false)
    throw archiveError(format, `The ${format.toUpperCase()} is damaged: its main part is empty.`, 'empty main part');
};

type Cleaned = Pick<PreparedDocument, 'metadata' | 'warnings'> & { file: Uint8Array };

type Paging = { onePagePerSheet: boolean };

/** Unpacks an archive and checks its XML. `check` gets the paths of its files first. @throws ApiError */
const unpack = async (
  format: OfficeFormat,
  file: Buffer,
  budget: ArchiveBudget,
  check: (paths: string[]) => void,
): Promise<Parts> => {
  const choose = (paths: string[]): string[] => {
    check(paths);
    return paths;
  };
  const parts = await unpackOffice(format, file, choose, budget);
  for (const [path, content] of parts) if (isXmlPart(path)) checkXml(format, path, readXml(content));
  return parts;
};

/** Null for a file that cannot be unpacked and is not a document of the content. @throws ApiError which names the file */
const unpackEmbedded = async (
  path: string,
  file: Buffer,
  isContent: boolean,
  budget: ArchiveBudget,
): Promise<Parts | null> => {
  try {
    return await unpack('docx', file, budget, () => undefined);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (!isContent) return null;
    const message = `The embedded file ${path.slice(0, 200)} cannot be printed. ${error.fields.message}`;
    throw ApiError.from({ ...error.fields, message });
  }
};

/**
 * Cleans the documents in a Word document with an `altChunk`, which LibreOffice reads like the document around them. An
 * `altChunk` could name any part in a way that is not known here, so all archives are cleaned, and files that only look like
 * one are removed: objects are printed from their images. An archive is read from its end. @throws ApiError
 */
const cleanEmbeddedDocuments = async (parts: Parts, budget: ArchiveBudget): Promise<void> => {
  if (![...parts].some(([path, content]) => isXmlPart(path) && readXml(content)?.includes('altChunk'))) return;
  const documents = embeddedDocumentsOf(parts);
  for (const [path, content] of parts) {
    if (isXmlPart(path) || !asBuffer(content).includes(endOfArchive)) continue;
    const embedded = await unpackEmbedded(path, asBuffer(content), documents.has(path), budget);
    if (embedded) {
      await cleanEmbeddedDocuments(embedded, budget);
      parts.set(path, pack(neutralise(embedded, 'ooxml')));
    } else parts.delete(path);
  }
};

const cleanPackage = async (format: OfficeFormat, file: Buffer, { onePagePerSheet }: Paging): Promise<Cleaned> => {
  const budget = newArchiveBudget();
  const parts = await unpack(format, file, budget, (paths) => checkMainPart(format, paths));
  requireText(format, parts);
  if (format === 'docx') await cleanEmbeddedDocuments(parts, budget);
  // Of embedded documents, LibreOffice prints those of Word.
  const warnings =
    format === 'docx'
      ? [...findUnprintedDocuments(parts, (embedded) => isZip(asBuffer(embedded))), ...findIgnoredFields(parts)]
      : [];
  const cleaned = neutralise(parts, format === 'odt' ? 'odf' : 'ooxml');
  const paged = format === 'xlsx' && onePagePerSheet ? withOnePagePerSheet(cleaned) : cleaned;
  return { file: pack(paged), ...(warnings.length > 0 && { warnings }), ...metadataMember(readProperties(parts)) };
};

/** The bytes of the file, which begin like one of the format. @throws ApiError */
const readFile = (format: OfficeFormat, data: Uint8Array, isFile: boolean): Buffer => {
  if (format === 'docx') return readDocx(data, isFile);
  const file = decodeOffice(format, data, isFile);
  checkSignature(format, file);
  return file;
};

/**
 * Checks an office document and removes what must not reach LibreOffice, which lays it out.
 * @throws ApiError
 */
export const prepareOffice = async (
  format: OfficeFormat,
  data: Uint8Array,
  isFile: boolean,
  paging: Paging = { onePagePerSheet: false },
): Promise<PreparedDocument> => {
  const file = readFile(format, data, isFile);
  const isRtf = file.toString('latin1', 0, 5) === '{\\rtf';
  const { file: cleaned, ...members } = packaged.has(format)
    ? await cleanPackage(format, file, paging)
    : { file: isRtf ? neutraliseRtf(file) : file };
  return {
    html: '',
    classification: { ...scriptFreeClassification, reason: 'LibreOffice lays the document out' },
    office: { file: cleaned, format },
    ...members,
  };
};
