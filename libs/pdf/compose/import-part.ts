import { writeFileSync } from 'node:fs';
import { PDFName, type PDFObject } from '@cantoo/pdf-lib';
import { noPagesInRangesError } from '#libs/chromium/pdf/page-errors.ts';
import { importPdf } from '../import/import-pdf.ts';
import { loadPdf, savePdf } from '../load-and-save.ts';
import { isPageIn } from '../stamp-places.ts';

/** `pageRanges` are the pages to take; null for all. The PDF is written to `file`. */
export type ImportPartInput = {
  pdf: Uint8Array;
  limits: { maxPages: number | null };
  pageRanges: string | null;
  file: string;
};

/** Leaves out pages. */
const selectPages = async (pdf: Uint8Array, ranges: string): Promise<{ pdf: Uint8Array; pages: number }> => {
  const document = await loadPdf(pdf);
  const isKept = isPageIn(ranges);
  const all = document.getPages();
  const kept = all.filter((_, index) => isKept(index + 1));
  if (kept.length === 0) throw noPagesInRangesError(ranges, all.length);
  const tree = document.catalog.Pages();
  for (const { node } of kept)
    for (const key of ['Resources', 'MediaBox', 'CropBox', 'Rotate']) {
      const value: PDFObject | undefined = node.getInheritableAttribute(PDFName.of(key));
      if (value) node.set(PDFName.of(key), value);
    }
  tree.set(PDFName.of('Kids'), document.context.obj(kept.map(({ ref }) => ref)));
  tree.set(PDFName.of('Count'), document.context.obj(kept.length));
  for (const { node } of kept) node.setParent(document.catalog.get(PDFName.of('Pages')) as never);
  return { pdf: await savePdf(document), pages: kept.length };
};

/** Takes an existing PDF in as a part. Runs in a worker process. @throws ApiError invalid_pdf, conversion_failed */
export const importPart = async ({ pdf, limits, pageRanges, file }: ImportPartInput): Promise<{ pages: number }> => {
  const imported = await importPdf(pdf, pageRanges === null ? limits : { maxPages: null });
  const selected = pageRanges === null ? imported : await selectPages(imported.pdf, pageRanges);
  writeFileSync(file, selected.pdf, { mode: 0o600 });
  return { pages: selected.pages };
};
