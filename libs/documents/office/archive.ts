import { buffer as collect } from 'node:stream/consumers';
import { type Entry, fromBufferPromise } from 'yauzl';
import type { ApiError } from '#contracts/http/api-error.ts';
import { type InputType, inputError, inputTypeTitles } from '../input.ts';
import { elementSteps, hasInternalSubset } from './tags.ts';

/** What the parts that are read from an office document and the archives in it may be together: files, and bytes. */
export const archiveLimits = { files: 5000, xml: 48 * 1024 * 1024, total: 192 * 1024 * 1024 };
/** What is left of the limits. */
export type ArchiveBudget = typeof archiveLimits;
export const newArchiveBudget = (): ArchiveBudget => ({ ...archiveLimits });

const maxRatio = 400;
/** Small files may be packed tighter than the limit of the ratio. */
const unboundedRatioBytes = 4 * 1024 * 1024;

/** The files of an archive by their paths. */
export type Parts = Map<string, Uint8Array>;

export const isXmlPart = (path: string): boolean => /\.(xml|rels|rdf|vml)$/i.test(path);

/** The error of an archive that cannot be converted. `reason` is for programs. */
export const archiveError = (inputType: InputType, message: string, reason: unknown) =>
  inputError(inputType, message, { details: reason });

const encryptedError = (inputType: InputType): ApiError =>
  archiveError(inputType, `The ${inputTypeTitles[inputType]} is encrypted. Save it without a password.`, 'encrypted');

const tooLargeError = (inputType: InputType, what: string, limit: number): ApiError =>
  archiveError(
    inputType,
    `The ${inputTypeTitles[inputType]} is too large when unpacked: it may contain at most ${limit} ${what}.`,
    { reason: `too many ${what} when unpacked`, limit },
  );

/** The error of an archive that could not be unpacked. */
const toArchiveError = (inputType: InputType, error: unknown): unknown =>
  error instanceof Error && error.name === 'ApiError'
    ? error
    : archiveError(
        inputType,
        `The ${inputTypeTitles[inputType]} is damaged: its zip archive cannot be read.`,
        'damaged zip archive',
      );

/** Checks that an archive can be unpacked, whichever of its files are. @throws ApiError */
const checkEntries = (inputType: InputType, entries: readonly Entry[]): void => {
  if (entries.some((entry) => entry.isEncrypted())) throw encryptedError(inputType);
  if (new Set(entries.map(({ fileName }) => fileName.toLowerCase())).size < entries.length)
    throw archiveError(
      inputType,
      `The ${inputTypeTitles[inputType]} is damaged: it contains two files of one name.`,
      'repeated file names',
    );
};

const declaredBytes = (entries: readonly Entry[]): number =>
  entries.reduce((bytes, { uncompressedSize }) => bytes + uncompressedSize, 0);

/** Takes the declared sizes from the budget. @throws ApiError */
const takeSizes = (inputType: InputType, entries: readonly Entry[], packedBytes: number, budget: ArchiveBudget) => {
  const take = (key: 'xml' | 'total', amount: number, what: string): void => {
    budget[key] -= amount;
    if (budget[key] < 0) throw tooLargeError(inputType, what, archiveLimits[key]);
  };
  const bytes = declaredBytes(entries);
  take('xml', declaredBytes(entries.filter(({ fileName }) => isXmlPart(fileName))), 'bytes of XML');
  take('total', bytes, 'bytes');
  if (bytes > Math.max(unboundedRatioBytes, packedBytes * maxRatio))
    throw archiveError(
      inputType,
      `The ${inputTypeTitles[inputType]} is packed too tightly: unpacked it would be more than ${maxRatio} times as large.`,
      { reason: 'too large for its packed size', limit: maxRatio },
    );
};

/**
 * Unpacks the archive of an office document, or one in it. `choose` checks the paths of its files, and returns those to
 * unpack. The declared sizes are checked first, and unpacking stops if a file is larger than declared.
 * @throws ApiError
 */
export const unpackOffice = async (
  inputType: InputType,
  file: Buffer,
  choose: (paths: string[]) => string[],
  budget: ArchiveBudget = newArchiveBudget(),
): Promise<Parts> => {
  const parts: Parts = new Map();
  try {
    const archive = await fromBufferPromise(file, { lazyEntries: true });
    const entries: Entry[] = [];
    for await (const entry of archive.eachEntry()) {
      budget.files -= 1;
      if (budget.files < 0) throw tooLargeError(inputType, 'files', archiveLimits.files);
      entries.push(entry);
    }
    checkEntries(inputType, entries);
    const chosen = new Set(choose(entries.map(({ fileName }) => fileName)));
    const read = entries.filter(({ fileName }) => chosen.has(fileName) && !fileName.endsWith('/'));
    takeSizes(inputType, read, file.byteLength, budget);
    for (const entry of read) parts.set(entry.fileName, await collect(await archive.openReadStreamPromise(entry)));
    return parts;
  } catch (error) {
    throw toArchiveError(inputType, error);
  }
};

/** The deepest nesting of elements that LibreOffice reads without a stack overflow. */
export const maxElementDepth = 1000;

/** Whether elements are nested deeper than the limit. */
const isTooDeep = (xml: string): boolean => {
  let depth = 0;
  for (const step of elementSteps(xml)) {
    depth += step;
    if (depth > maxElementDepth) return true;
  }
  return false;
};

/** Refuses XML of unknown encoding (null), with entities of its own, or nested too deeply. @throws ApiError */
export const checkXml = (inputType: InputType, path: string, xml: string | null): void => {
  const title = inputTypeTitles[inputType];
  if (xml === null)
    throw archiveError(inputType, `The ${title} has an unknown encoding in ${path}. Save it with UTF-8.`, {
      reason: 'unknown encoding',
      part: path.slice(0, 200),
    });
  if (/<!ENTITY/i.test(xml) || hasInternalSubset(xml))
    throw archiveError(inputType, `The ${title} declares a document type in ${path}; no office program does.`, {
      reason: 'document type declaration',
      part: path.slice(0, 200),
    });
  if (isTooDeep(xml))
    throw archiveError(inputType, `The ${title} is nested deeper than ${maxElementDepth} elements in ${path}.`, {
      reason: 'nested too deeply',
      part: path.slice(0, 200),
      limit: maxElementDepth,
    });
};
