import { inflateSync } from 'node:zlib';
import { importPdf } from '../import/import-pdf.ts';

/** The PDF that an existing one becomes as a part, with the content of its streams, where they are text. */
export const importedText = async (pdf: Uint8Array): Promise<string> => {
  const imported = Buffer.from((await importPdf(pdf, { maxPages: null })).pdf).toString('latin1');
  return imported.replaceAll(/(?<=>\nstream\n)[^]*?(?=\nendstream)/g, (stream) => {
    try {
      return inflateSync(Buffer.from(stream, 'latin1')).toString('latin1');
    } catch {
      return stream;
    }
  });
};
