import { inputError } from '../input.ts';
import { type Parts, unpackOffice } from '../office/archive.ts';
import { checkMainPart, decodeOffice, isCompoundFile, isZip } from '../office/formats.ts';

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

const neededPath =
  /^(\[Content_Types\]\.xml|docProps\/core\.xml|_rels\/.+|word\/(?!embeddings\/|fonts\/|vba).+\.(xml|rels)|(?:word\/)?media\/.+)$/i;

/** Unpacks the files that conversion needs. @throws ApiError */
export const unpackDocx = (file: Buffer): Promise<Parts> =>
  unpackOffice('docx', file, (paths) => {
    checkMainPart('docx', paths);
    return paths.filter((path) => neededPath.test(path));
  });
