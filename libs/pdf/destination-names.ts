import { hash } from 'node:crypto';
import { PDFDict, type PDFDocument, type PDFName } from '@cantoo/pdf-lib';
import { name } from './names-and-texts.ts';

/** The limit of names in PDF/A (ISO 19005-3, 6.1.13), in bytes. */
const maxNameBytes = 127;

/** A name that is not too long: another one stands for a long name, the same one each time. */
export const shortName = (text: string): string =>
  Buffer.byteLength(text) <= maxNameBytes ? text : hash('sha256', text, 'hex');

/** Shortens the names of destinations. The browser writes ids as in URLs, where a letter can take nine bytes. */
export const shortenDestinationNames = (document: PDFDocument): void => {
  const destinations = document.catalog.lookup(name('Dests'));
  if (!(destinations instanceof PDFDict)) return;
  const shortened = new Map<PDFName, PDFName>();
  for (const [key, value] of destinations.entries()) {
    const short = name(shortName(key.decodeText()));
    if (short === key) continue;
    shortened.set(key, short);
    destinations.delete(key);
    destinations.set(short, value);
  }
  if (shortened.size === 0) return;
  for (const page of document.getPages())
    for (const reference of page.node.Annots()?.asArray() ?? []) {
      const annotation = document.context.lookup(reference, PDFDict);
      const short = shortened.get(annotation.get(name('Dest')) as PDFName);
      if (short) annotation.set(name('Dest'), short);
    }
};
