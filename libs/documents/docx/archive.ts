import { buffer as collect } from 'node:stream/consumers';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import type { ApiError } from '#contracts/http/api-error.ts';
import { inputError } from '../input.ts';
import { afterDataPrefix, fromBase64 } from '../text/base64.ts';

const latin1 = (data: Uint8Array): string =>
  Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('latin1');
const compoundFileSignature = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const zipSignatures = new Set(['PK\u0003\u0004', 'PK\u0005\u0006']);

/** Checks that a file begins like a zip archive. @throws ApiError */
export const checkDocx = (file: Uint8Array): Buffer => {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (bytes.length === 0) throw inputError('docx', 'The DOCX is empty.', { details: 'empty file' });
  if (bytes.subarray(0, compoundFileSignature.length).equals(compoundFileSignature)) throw protectedOrOldFormatError();
  if (!zipSignatures.has(bytes.toString('latin1', 0, 4)))
    throw inputError('docx', 'The data is not a DOCX: a DOCX is a zip archive.', {
      details: 'not a zip archive',
    });
  return bytes;
};

/** Decodes the file from base64 and checks it. @throws ApiError */
export const decodeDocx = (data: Uint8Array): Buffer => {
  const sent = latin1(data);
  const bytes = fromBase64(afterDataPrefix(sent) ?? sent);
  if (!bytes)
    throw inputError('docx', 'The DOCX is not valid base64. Send the bytes of the file, encoded in base64, in data.', {
      details: 'invalid base64',
    });
  return checkDocx(bytes);
};

const protectedOrOldFormatError = () =>
  inputError(
    'docx',
    'The file is protected with a password, or has the older DOC format. Save it as DOCX without a password.',
    { details: 'encrypted, or DOC instead of DOCX' },
  );

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
    throw isApiError(error)
      ? error
      : inputError('docx', 'The DOCX is damaged: its zip archive cannot be read.', { details: 'damaged zip archive' });
  }
};

const isApiError = (error: unknown): error is ApiError => error instanceof Error && error.name === 'ApiError';

const entriesOf = async (archive: ZipFile): Promise<Entry[]> => {
  const entries: Entry[] = [];
  const declared = { xml: 0, total: 0 };
  for await (const entry of archive.eachEntry()) {
    entries.push(entry);
    if (entry.isEncrypted())
      throw inputError('docx', 'The DOCX is encrypted. Save it without a password.', { details: 'encrypted' });
    if (entries.length > archiveLimits.files) throw tooLargeError('files', archiveLimits.files);
    if (!neededPaths.test(entry.fileName)) continue;
    declared.total += entry.uncompressedSize;
    if (xmlPaths.test(entry.fileName)) declared.xml += entry.uncompressedSize;
    if (declared.xml > archiveLimits.xml) throw tooLargeError('bytes of XML', archiveLimits.xml);
    if (declared.total > archiveLimits.total) throw tooLargeError('bytes', archiveLimits.total);
  }
  return entries;
};

const tooLargeError = (what: string, limit: number): ApiError =>
  inputError('docx', `The DOCX is too large when unpacked: it may contain at most ${limit} ${what}.`, {
    details: { reason: `too many ${what} when unpacked`, limit },
  });

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
