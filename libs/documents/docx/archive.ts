import { buffer as collect } from 'node:stream/consumers';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { inputError } from '../input.ts';
import { encryptedError, toArchiveError, tooLargeError } from '../office/archive.ts';
import { decodeOffice, isCompoundFile, isZip } from '../office/formats.ts';

/** The bytes of the file, which begin like a zip archive: as sent, or from base64. @throws ApiError */
export const readDocx = (data: Uint8Array, isFile: boolean): Buffer => {
  const bytes = decodeOffice('docx', data, isFile);
  if (bytes.length === 0) throw inputError('docx', 'The DOCX is empty.', { details: 'empty file' });
  if (isCompoundFile(bytes))
    throw inputError(
      'docx',
      'The file is protected with a password, or has the older DOC format. Save it as DOCX without a password.',
      { details: 'encrypted, or DOC instead of DOCX' },
    );
  if (!isZip(bytes))
    throw inputError('docx', 'The data is not a DOCX: a DOCX is a zip archive.', { details: 'not a zip archive' });
  return bytes;
};

/** The converted parts of a DOCX, by their path in the archive. */
export type DocxParts = Map<string, Uint8Array>;

/** The limits for a DOCX: number of files, and bytes when unpacked. */
export const archiveLimits = { files: 5000, xml: 32 * 1024 * 1024, total: 128 * 1024 * 1024 };

const neededPaths =
  /^(\[Content_Types\]\.xml|docProps\/core\.xml|_rels\/.+|word\/(?!embeddings\/|fonts\/|vba).+\.(xml|rels)|(?:word\/)?media\/.+)$/i;
const xmlPaths = /\.(xml|rels)$/i;

/**
 * Unpacks the files that conversion needs. The declared sizes are checked against the limits first, and unpacking stops
 * if a file is larger than declared.
 * @throws ApiError
 */
export const unpackDocx = async (bytes: Buffer): Promise<DocxParts> => {
  try {
    const archive = await fromBufferPromise(bytes, { lazyEntries: true });
    const entries = await entriesOf(archive);
    requireWordDocument(entries);
    return await readParts(
      archive,
      entries.filter(({ fileName }) => neededPaths.test(fileName)),
    );
  } catch (error) {
    throw toArchiveError('docx', error);
  }
};

const entriesOf = async (archive: ZipFile): Promise<Entry[]> => {
  const entries: Entry[] = [];
  const declared = { xml: 0, total: 0 };
  for await (const entry of archive.eachEntry()) {
    entries.push(entry);
    if (entry.isEncrypted()) throw encryptedError('docx');
    if (entries.length > archiveLimits.files) throw tooLargeError('docx', 'files', archiveLimits.files);
    if (!neededPaths.test(entry.fileName)) continue;
    declared.total += entry.uncompressedSize;
    if (xmlPaths.test(entry.fileName)) declared.xml += entry.uncompressedSize;
    if (declared.xml > archiveLimits.xml) throw tooLargeError('docx', 'bytes of XML', archiveLimits.xml);
    if (declared.total > archiveLimits.total) throw tooLargeError('docx', 'bytes', archiveLimits.total);
  }
  return entries;
};

const otherFormats: [path: RegExp, kind: string][] = [
  [/^xl\/workbook/i, 'an Excel workbook'],
  [/^ppt\/presentation/i, 'a PowerPoint presentation'],
  [/^content\.xml$/i, 'an OpenDocument file'],
];

const requireWordDocument = (entries: readonly Entry[]): void => {
  const has = (path: RegExp) => entries.some(({ fileName }) => path.test(fileName));
  if (has(/^\[Content_Types\]\.xml$/i) && has(/^word\/.+\.xml$/i)) return;
  const kind = otherFormats.find(([path]) => has(path))?.[1] ?? 'a zip archive of something else';
  throw inputError('docx', `The data is not a DOCX, but ${kind}.`, { details: `not a DOCX: ${kind}` });
};

const readParts = async (archive: ZipFile, entries: readonly Entry[]): Promise<DocxParts> => {
  const parts: DocxParts = new Map();
  for (const entry of entries) parts.set(entry.fileName, await collect(await archive.openReadStreamPromise(entry)));
  return parts;
};
