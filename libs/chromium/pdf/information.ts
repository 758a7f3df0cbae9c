import { authorsOf, keywordsOf, type PdfMetadataOption } from '#contracts/http/pdf-metadata.ts';
import { asBuffer } from '#libs/bytes/as-buffer.ts';
import { openPdfObjects } from './objects.ts';

/** A text string in UTF-16 with its byte order mark, as a hexadecimal string (ISO 32000-1, 7.9.2.2). */
export const textString = (text: string): string => `<FEFF${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`;

const entriesOf = (metadata: PdfMetadataOption): [name: string, text: string][] => {
  const { title = '', subject = '', creator = '', custom = {} } = metadata;
  const fields: [string, string][] = [
    ['Title', title],
    ['Author', authorsOf(metadata).join(', ')],
    ['Subject', subject],
    ['Keywords', keywordsOf(metadata).join(', ')],
    ['Creator', creator],
    ...Object.entries(custom),
  ];
  return fields.filter(([, text]) => text !== '');
};

/** Matches the entry of a dictionary as Skia and LibreOffice write it: a name, and a string on the same line. */
const entryOf = (name: string): RegExp => new RegExp(`\\n?/${name} ?(?:<[^>]*>|\\((?:\\\\[^]|[^\\\\()])*\\))`);

/**
 * Sets entries of the information dictionary by an incremental update (ISO 32000-1, 7.5.6): the bytes of the printed
 * PDF stay, and a new dictionary and its cross-reference follow. Costs no more than a copy of the PDF.
 */
export const withInformation = (pdf: Uint8Array, metadata: PdfMetadataOption): Uint8Array => {
  const buffer = asBuffer(pdf);
  const { trailer, tableStart, reference, bytesOf } = openPdfObjects(buffer);
  const number = reference('Info', trailer);
  const { start, end } = bytesOf(number);
  const entries = entriesOf(metadata);
  const kept = entries.reduce((text, [name]) => text.replace(entryOf(name), ''), buffer.toString('latin1', start, end));
  const added = entries.map(([name, text]) => `/${name} ${textString(text)}\n`).join('');
  const object = `${kept.replace('<<', () => `<<${added}`)}\nendobj\n`;
  const table = `xref\n${number} 1\n${String(buffer.length).padStart(10, '0')} 00000 n \n`;
  const ownTrailer = trailer.replace('<<', () => `<</Prev ${tableStart}\n`);
  const startTable = buffer.length + object.length;
  return Buffer.concat([
    buffer,
    Buffer.from(`${object}${table}${ownTrailer}startxref\n${startTable}\n%%EOF\n`, 'latin1'),
  ]);
};
