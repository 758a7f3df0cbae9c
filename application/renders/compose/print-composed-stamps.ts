import type { PartFile } from '#libs/pdf/compose/compose-pdf.ts';
import type { PartHeadings } from '#libs/pdf/compose/read-headings.ts';
import type { PageSize, Stamps } from '#libs/pdf/stamp.ts';
import { runWithinDeadline } from '../deadline.ts';
import { hasStamps, printStamps } from '../print-stamps.ts';
import type { Composing } from './make-parts.ts';

/** The sizes of the pages of each file in its order. Those of the table of contents are read now. */
const readSizes = async (
  { dependencies, requested, elapsed }: Composing,
  parts: readonly PartFile[],
  headings: readonly PartHeadings[],
): Promise<PageSize[][]> => {
  const contents = parts.find(({ id }) => id === 'contents');
  if (!contents) return headings.map(({ sizes }) => sizes);
  const { file, title } = contents;
  const [own] = await runWithinDeadline(requested, elapsed, (limits) =>
    dependencies.preparation.readHeadings({ parts: [{ file, title, fallback: title }], levels: 0 }, limits),
  );
  return headings.map(({ sizes }) => sizes).toSpliced(parts.indexOf(contents), 0, own!.sizes);
};

/**
 * Prints the watermark and the page numbers of a composed document. A cover and blank pages have no numbers. A blank page
 * before a part belongs to the part before it.
 */
export const printComposedStamps = async (
  composing: Composing,
  parts: readonly PartFile[],
  headings: readonly PartHeadings[],
): Promise<Stamps | null> => {
  const { dependencies, requested, requestedAt, renderOptions, options, elapsed } = composing;
  if (!hasStamps(options)) return null;
  const ownSizes = await readSizes(composing, parts, headings);
  const sizes: PageSize[] = [];
  const unnumbered = new Set<number>();
  for (const [index, { isBlankBefore, id }] of parts.entries()) {
    const isCover = id !== 'contents' && composing.composition.parts[Number(id)]!.cover === true;
    if (isBlankBefore) {
      unnumbered.add(sizes.length);
      sizes.push(sizes.at(-1) ?? ownSizes[index]![0]!);
    }
    for (const size of ownSizes[index]!) {
      if (isCover) unnumbered.add(sizes.length);
      sizes.push(size);
    }
  }
  const counts = parts.map(({ firstPage }, index) => {
    const next = parts[index + 1];
    return (next ? next.firstPage : sizes.length + 1) - (index === 0 ? 1 : firstPage);
  });
  const stamps = await printStamps(dependencies, requested, elapsed, {
    pages: { sizes, parts: counts },
    options,
    requestedAt,
    isolated: renderOptions.isolated === true,
  });
  if (!stamps?.pageNumbers) return stamps;
  const labelPages = stamps.pageNumbers.labelPages.map((label, page) => (unnumbered.has(page) ? -1 : label));
  return { ...stamps, pageNumbers: { ...stamps.pageNumbers, labelPages } };
};
