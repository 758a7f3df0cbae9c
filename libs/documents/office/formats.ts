import { asBuffer } from '#libs/bytes/as-buffer.ts';
import type { OfficeFormat } from '#libs/office/port.ts';
import { type InputType, inputError, inputTypeTitles } from '../input.ts';
import { afterDataPrefix, fromBase64 } from '../text/base64.ts';

const zipSignatures = new Set(['PK\u0003\u0004', 'PK\u0005\u0006']);
const compoundFileSignature = 'd0cf11e0a1b11ae1';
/** The name of a stream that every Word document in a compound file has (MS-DOC 2.1.1). */
const wordStream = Buffer.from('WordDocument', 'utf16le');

export const isZip = (file: Buffer): boolean => zipSignatures.has(file.toString('latin1', 0, 4));
/** Whether a file begins like those of the old binary formats (MS-CFB). */
export const isCompoundFile = (file: Buffer): boolean => file.toString('hex', 0, 8) === compoundFileSignature;
const isRtf = (file: Buffer): boolean => file.toString('latin1', 0, 5) === '{\\rtf';

/** The part that an archive of the format has, by which it is told from others. */
const mainParts: Partial<Record<OfficeFormat, RegExp>> = {
  docx: /^word\/.+\.xml$/i,
  xlsx: /^xl\/workbook.*\.xml$/i,
  pptx: /^ppt\/presentation.*\.xml$/i,
  odt: /^content\.xml$/,
};

/** The bytes of the file: as sent, or from base64. @throws ApiError */
export const decodeOffice = (inputType: InputType, data: Uint8Array, isFile: boolean): Buffer => {
  const title = inputTypeTitles[inputType];
  if (isFile) return asBuffer(data);
  const sent = asBuffer(data).toString('latin1');
  const bytes = fromBase64(afterDataPrefix(sent) ?? sent);
  if (bytes) return asBuffer(bytes);
  throw inputError(
    inputType,
    `The ${title} is not valid base64. Send the bytes of the file, encoded in base64, in data.`,
    { details: 'invalid base64' },
  );
};

const fits: Record<OfficeFormat, (file: Buffer) => boolean> = {
  docx: isZip,
  odt: isZip,
  xlsx: isZip,
  pptx: isZip,
  rtf: isRtf,
  // LibreOffice prints the bytes of any other compound file as if they were text.
  doc: (file) => (isCompoundFile(file) && file.includes(wordStream)) || isRtf(file),
};

/** Checks that a file begins like one of the format. @throws ApiError */
export const checkSignature = (format: OfficeFormat, file: Buffer): void => {
  const title = inputTypeTitles[format];
  if (file.length === 0) throw inputError(format, `The ${title} is empty.`, { details: 'empty file' });
  if (fits[format](file)) return;
  if (isCompoundFile(file) && format !== 'doc')
    throw inputError(
      format,
      `The file is protected with a password, or has an older format. Save it as ${title} without a password.`,
      { details: `encrypted, or an older format instead of ${title}` },
    );
  throw inputError(format, `The data is not a file of the format ${title}.`, { details: 'wrong signature' });
};

const kinds: [format: OfficeFormat, kind: string][] = [
  ['docx', 'a Word document'],
  ['xlsx', 'an Excel workbook'],
  ['pptx', 'a PowerPoint presentation'],
  ['odt', 'an OpenDocument file'],
];

/** Checks that an archive is a document of the format. @throws ApiError */
export const checkMainPart = (format: OfficeFormat, paths: readonly string[]): void => {
  const has = (part: RegExp | undefined): boolean => part !== undefined && paths.some((path) => part.test(path));
  const isComplete = format === 'odt' || has(/^\[Content_Types\]\.xml$/i);
  if (!mainParts[format] || (isComplete && has(mainParts[format]))) return;
  const title = inputTypeTitles[format];
  const other = kinds.find(([one]) => one !== format && has(mainParts[one]))?.[1] ?? 'a zip archive of something else';
  throw inputError(format, `The data is not a file of the format ${title}, but ${other}.`, {
    details: `not ${title}: ${other}`,
  });
};
