import { type PDFDocument, PDFHexString, PDFName, PDFNumber, type PDFObject } from '@cantoo/pdf-lib';
import type { PageNumberStyle } from '#contracts/http/page-numbers.ts';

/** Pages with consecutive numbers; `firstIndex` is the index of the first one, `start` its number. */
export type NumberedPages = { firstIndex: number; start: number; style: PageNumberStyle };

const styleNames: Record<PageNumberStyle, string> = { decimal: 'D', lower_roman: 'r', upper_roman: 'R' };

/** The labels that PDF readers show for the pages (ISO 32000-1, 12.4.2). They cannot begin at 0 but for one page. */
export const setPageLabels = ({ context, catalog }: PDFDocument, ranges: readonly NumberedPages[]): void => {
  const label = (start: number, style: PageNumberStyle): PDFObject =>
    start === 0
      ? context.obj({ P: PDFHexString.fromText('0') })
      : context.obj({ S: PDFName.of(styleNames[style]), St: start });
  const entries = ranges.flatMap(({ firstIndex, start, style }, index): [number, PDFObject][] => {
    const next = ranges[index + 1]?.firstIndex ?? Infinity;
    const after: [number, PDFObject][] =
      start === 0 && firstIndex + 1 < next ? [[firstIndex + 1, label(1, style)]] : [];
    return [[firstIndex, label(start, style)], ...after];
  });
  const numbers = entries.flatMap(([index, object]) => [PDFNumber.of(index), object]);
  catalog.set(PDFName.of('PageLabels'), context.obj({ Nums: numbers }));
};
