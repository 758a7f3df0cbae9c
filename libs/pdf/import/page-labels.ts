import { PDFArray, type PDFContext, PDFDict, PDFHexString, PDFName, PDFNumber, type PDFObject } from '@cantoo/pdf-lib';
import { name, textOf } from '../names-and-texts.ts';
import { treeNodes } from '../trees.ts';

const styles = new Set(['D', 'R', 'r', 'A', 'a']);

/** The ranges of page labels by their first page (ISO 32000-1, 12.4.2). */
const readRanges = (from: PDFContext, labels: PDFObject | undefined, pages: number): Map<number, PDFDict> => {
  const ranges = new Map<number, PDFDict>();
  for (const entries of treeNodes(from, labels, 'Nums'))
    for (const [page, value] of entries) {
      const range = from.lookup(value);
      if (!(page instanceof PDFNumber && range instanceof PDFDict)) continue;
      const first = page.asNumber();
      if (Number.isInteger(first) && first >= 0 && first < pages) ranges.set(first, range);
    }
  return ranges;
};

/** Copies the labels of the pages. */
export const importPageLabels = (
  { context: from, catalog }: { context: PDFContext; catalog: PDFDict },
  { context: to, catalog: newCatalog }: { context: PDFContext; catalog: PDFDict },
  pages: number,
): void => {
  const ranges = readRanges(from, catalog.get(name('PageLabels')), pages);
  if (ranges.size === 0) return;
  if (!ranges.has(0)) ranges.set(0, from.obj({ S: 'D' }));
  const numbers = PDFArray.withContext(to);
  for (const [first, range] of [...ranges].toSorted(([a], [b]) => a - b)) {
    const label = PDFDict.withContext(to);
    const [style, prefix, start] = ['S', 'P', 'St'].map((key) => range.lookup(name(key)));
    if (style instanceof PDFName && styles.has(style.decodeText())) label.set(name('S'), style);
    const text = textOf(prefix);
    if (text) label.set(name('P'), PDFHexString.fromText(text.slice(0, 100)));
    if (start instanceof PDFNumber && Number.isInteger(start.asNumber()) && start.asNumber() >= 1)
      label.set(name('St'), start);
    numbers.push(PDFNumber.of(first));
    numbers.push(label);
  }
  newCatalog.set(name('PageLabels'), to.obj({ Nums: numbers }));
};
