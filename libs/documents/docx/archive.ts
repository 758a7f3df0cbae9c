import { inputError } from '../input.ts';
import { type Parts, unpackOffice } from '../office/archive.ts';
import { editTags, withDoubleQuotes } from '../office/edit-tags.ts';
import { checkMainPart, decodeOffice, isCompoundFile, isZip } from '../office/formats.ts';
import { encodeXml, readXml } from '../office/xml-encoding.ts';

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

const searchedPath = /^word\/[^/]+\.xml$/i;

/**
 * Unpacks the files that conversion needs. The parts that are searched are written as Word writes them: in UTF-8, without
 * comments and CDATA, and with attributes in double quotes. @throws ApiError
 */
export const unpackDocx = async (file: Buffer): Promise<Parts> => {
  const parts = await unpackOffice('docx', file, (paths) => {
    checkMainPart('docx', paths);
    return paths.filter((path) => neededPath.test(path));
  });
  for (const [path, content] of parts) {
    const xml = searchedPath.test(path) ? readXml(content) : null;
    if (xml !== null) parts.set(path, encodeXml(editTags(xml, (_, tag) => withDoubleQuotes(tag))));
  }
  return parts;
};
