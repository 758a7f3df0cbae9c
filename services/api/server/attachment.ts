import { encodeExtended } from 'content-disposition';

/**
 * The name in ASCII for clients that do not know `filename*`: letters without accents, `_` for all other characters,
 * and no quotation marks, backslashes or percent escapes, which clients read differently (RFC 6266, appendix D).
 */
const asciiNameOf = (fileName: string): string =>
  fileName
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\x20-\x7e]|["\\/]|%(?=[\da-f]{2})/giu, '_');

/** The header Content-Disposition of a PDF that is saved under this name (RFC 6266; RFC 8187 for other than ASCII). */
export const attachmentOf = (fileName: string): string => {
  const ascii = asciiNameOf(fileName);
  const header = `attachment; filename="${ascii}"`;
  return ascii === fileName ? header : `${header}; filename*=${encodeExtended(fileName)}`;
};
