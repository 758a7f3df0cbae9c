import { PDFName } from '@cantoo/pdf-lib';

/** The name object with this text (ISO 32000-1, 7.3.5). */
export const name = (text: string): PDFName => PDFName.of(text);
