import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import {
  buildDocx,
  paragraph,
  part,
  relationship,
  relationshipsPart,
} from '../../../test/support/documents/build-docx.ts';
import { findLibreOffice } from './find.ts';
import { openOffice } from './office.ts';

const folder = process.env['LIBREOFFICE_FOLDER'];
const isInstalled = !('missing' in findLibreOffice(folder));
const logger = { info: () => undefined, warn: () => undefined };

const utf16 = (text: string): string => Buffer.from(text, 'utf16le').swap16().toString('latin1');
const fontPath = new URL(import.meta.resolve('pdfjs-dist/standard_fonts/LiberationSans-BoldItalic.ttf'));
/** A font that is not installed: one with another name, obfuscated with a key of zeros, which changes nothing. */
const font = Buffer.from(
  readFileSync(fontPath)
    .toString('latin1')
    .replaceAll(utf16('Liberation Sans'), utf16('Colophon Brand!'))
    .replaceAll('Liberation Sans', 'Colophon Brand!'),
  'latin1',
);
const fontKey = '{00000000-0000-0000-0000-000000000000}';
const body = paragraph('Agreement', '', '<w:rFonts w:ascii="Colophon Brand!" w:hAnsi="Colophon Brand!"/>');
const withFont = buildDocx(body, [relationship('rId9', 'fontTable', 'fontTable.xml')], {
  'word/fontTable.xml': part(
    'fonts',
    `<w:font w:name="Colophon Brand!"><w:embedRegular r:id="rId1" w:fontKey="${fontKey}"/></w:font>`,
  ),
  'word/_rels/fontTable.xml.rels': relationshipsPart([relationship('rId1', 'font', 'fonts/font1.bin')]),
  'word/fonts/font1.bin': font,
});

it.skipIf(!isInstalled)('the font of a document is not used for other documents', { timeout: 300_000 }, async () => {
  const tuning = { startTimeoutMs: 120_000, slowAfterMs: 600_000 };
  const office = openOffice({ folder, memoryMb: 1024, logger, tuning });
  onTestFinished(() => office.close());
  const convert = async (file: Uint8Array): Promise<Buffer> => {
    const { pdf } = await office.convert({
      file,
      title: 'document',
      format: 'docx',
      group: 'a',
      isolated: false,
      tagged: false,
      outline: false,
      requestedAt: new Date('2026-01-02T03:04:05Z'),
      limits: { processingMs: 120_000, waitTimeoutMs: 120_000 },
    });
    return pdf;
  };
  const before = await convert(buildDocx(body));
  const printed = await convert(withFont);
  const after = await convert(buildDocx(body));
  expect(printed.toString('latin1')).toContain('LiberationSans-BoldItalic');
  expect(before.toString('latin1')).not.toContain('LiberationSans-BoldItalic');
  expect(after.equals(before)).toBe(true);
});
