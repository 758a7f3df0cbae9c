import { PDFHexString, PDFName, type PDFObject, PDFString } from '@cantoo/pdf-lib';

/** The name object with this text (ISO 32000-1, 7.3.5). */
export const name = (text: string): PDFName => PDFName.of(text);

/** The text of a string object (ISO 32000-1, 7.9.2); null for other values. */
export const textOf = (value: PDFObject | undefined): string | null =>
  value instanceof PDFString || value instanceof PDFHexString ? value.decodeText() : null;
