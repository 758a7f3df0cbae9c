import { extname } from 'node:path';
import { convertWithCommandLine, similaritiesOf } from './compare-pdfs.ts';
import { officeFile } from './office-files.ts';
import { readPdf } from './read-pdf.ts';

export type OfficeComparison = {
  name: string;
  /** The sizes of the pages. */
  sizes: string[];
  /** The sizes of the pages that LibreOffice's command line prints. */
  expectedSizes: string[];
  /** Of each page, where it differs most. */
  similarities: number[];
  /** Whether the text is that of LibreOffice's command line. */
  hasSameText: boolean;
};

type Pages = { sizes: string[]; text: string };

const readPages = async (pdf: string): Promise<Pages> => {
  const pages = await readPdf(pdf);
  return {
    sizes: pages.map(({ width, height }) => `${Math.round(width)} x ${Math.round(height)}`),
    text: pages
      .map(({ text }) => text)
      .join(' ')
      .replace(/\s+/g, ' '),
  };
};

/** Renders files of `officeFile`, and compares their pages with those of LibreOffice's command line. */
export const compareWithCommandLine = async (
  names: readonly string[],
  render: (inputType: string, file: string) => Promise<string>,
): Promise<OfficeComparison[]> => {
  const files = new Map(names.map((name) => [name, officeFile(name)]));
  const expected = await convertWithCommandLine(files);
  const comparisons: OfficeComparison[] = [];
  for (const [name, file] of files) {
    const pdf = await render(extname(name).slice(1), file.toString('base64'));
    const own = expected.get(name);
    const pages = await readPages(pdf);
    const expectedPages = own ? await readPages(own.toString('base64')) : null;
    comparisons.push({
      name,
      sizes: pages.sizes,
      expectedSizes: expectedPages?.sizes ?? [],
      hasSameText: pages.text === expectedPages?.text,
      similarities: own ? await similaritiesOf(Buffer.from(pdf, 'base64'), own) : [0],
    });
  }
  return comparisons;
};

/** Whether LibreOffice's command line prints as many pages of the same sizes. */
export const hasSamePages = ({ sizes, expectedSizes }: OfficeComparison): boolean =>
  sizes.length > 0 && sizes.join() === expectedSizes.join();
