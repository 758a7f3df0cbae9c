import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { expect, it } from 'vitest';
import { type PdfMetadata, xmpPacket } from './xmp.ts';

const metadata: PdfMetadata = {
  title: null,
  authors: [],
  subject: null,
  keywords: [],
  creator: '',
  producer: 'P',
  createdAt: '2026-01-01T00:00:00Z',
  custom: {},
};

const textsOf = (packet: string): string[] => {
  const texts: string[] = [];
  const parser = new SaxesParser({ xmlns: true });
  parser.on('text', (text) => void (text.trim() === '' ? undefined : texts.push(text)));
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(packet.replace('\u{feff}', '')).close();
  return texts;
};

it('the packet is XML with all values, whatever they contain', () => {
  const value = fc.string({ minLength: 1, unit: 'binary' });
  fc.assert(
    fc.property(value, value, fc.array(value), fc.boolean(), (title, subject, keywords, isPdfUa) => {
      const pdfa = { part: 3, conformance: 'B' } as const;
      textsOf(xmpPacket({ ...metadata, title, subject, keywords, custom: { A1: title } }, pdfa, isPdfUa));
    }),
  );
  expect(textsOf(xmpPacket({ ...metadata, title: 'a <b> & "c"', authors: ['Ä'] }, null, false))).toEqual(
    expect.arrayContaining(['a <b> & "c"', 'Ä', 'P']),
  );
});

it('the packet claims only the standards that it is made for', () => {
  expect(xmpPacket(metadata, null, false)).not.toMatch(/<pdf(a|ua)id:/);
  expect(xmpPacket(metadata, { part: 2, conformance: 'U' }, false)).toMatch(
    /<pdfaid:part>2<.*\n<pdfaid:conformance>U</,
  );
  expect(xmpPacket(metadata, null, true)).toContain('<pdfuaid:part>1<');
});
