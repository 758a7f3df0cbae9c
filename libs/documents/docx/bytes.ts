import { refusal } from '../refusal.ts';
import { afterDataPrefix, fromBase64 } from '../text/base64.ts';

const latin1 = (data: Uint8Array): string => Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('latin1');
const compoundFile = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const zipStarts = new Set(['PK\u0003\u0004', 'PK\u0005\u0006']);

/** The file that a caller sent in base64, checked to begin like a zip. Throws a Problem. */
export const decodeDocx = (data: Uint8Array): Buffer => {
  const sent = latin1(data);
  const bytes = fromBase64(afterDataPrefix(sent) ?? sent);
  if (!bytes) throw refusal('docx', 'The DOCX is not valid base64. Send the bytes of the file, encoded in base64, in data.', { details: 'invalid base64' });
  if (bytes.length === 0) throw refusal('docx', 'The DOCX is empty.', { details: 'empty file' });
  if (bytes.subarray(0, compoundFile.length).equals(compoundFile)) throw protectedOrOld();
  if (!zipStarts.has(bytes.toString('latin1', 0, 4))) throw refusal('docx', 'The data is no DOCX: a DOCX is a zip archive, and this is none.', { details: 'not a zip archive' });
  return bytes;
};

const protectedOrOld = () =>
  refusal('docx', 'The file is protected with a password, or is of the older DOC format. Save it as DOCX without a password.', { details: 'encrypted, or DOC instead of DOCX' });
