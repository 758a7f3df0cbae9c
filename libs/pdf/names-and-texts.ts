import { PDFHexString, PDFName, type PDFObject, PDFString } from '@cantoo/pdf-lib';

/** The name object with this text (ISO 32000-1, 7.3.5). */
export const name = (text: string): PDFName => PDFName.of(text);

/** The text of a string object (ISO 32000-1, 7.9.2); null for other values, and for a text that is damaged. */
export const textOf = (value: PDFObject | undefined): string | null => {
  try {
    return value instanceof PDFString || value instanceof PDFHexString ? value.decodeText() : null;
  } catch {
    return null;
  }
};

/** The key of a named object, which is a name or a text. */
export const keyOf = (value: PDFObject | undefined): string | null =>
  value instanceof PDFName ? value.decodeText() : textOf(value);
