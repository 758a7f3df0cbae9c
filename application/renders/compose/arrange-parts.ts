import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PartFile } from '#libs/pdf/compose/compose-pdf.ts';
import { countPlacedPages, type PartToPlace, placeParts } from '#libs/pdf/compose/layout.ts';
import type { PartHeadings } from '#libs/pdf/compose/read-headings.ts';
import { type Composing, type MadePart, originOf, tooManyPages } from './make-parts.ts';
import { printContents } from './print-contents.ts';

type UnplacedPart = Omit<PartFile, 'isBlankBefore' | 'firstPage'>;

const placeFiles = (
  { requested }: Composing,
  files: readonly UnplacedPart[],
  places: readonly PartToPlace[],
): PartFile[] => {
  const { maxPages } = requested.limits;
  const placed = placeParts(places);
  const pages = countPlacedPages(places, placed);
  if (maxPages !== null && pages > maxPages) throw tooManyPages(pages, maxPages);
  return files.map((file, index) => ({ ...file, ...placed[index]! }));
};

/** The parts in their order, with the table of contents, and where blank pages are. */
export const arrangeParts = async (
  composing: Composing,
  made: readonly MadePart[],
  headings: readonly PartHeadings[],
): Promise<PartFile[]> => {
  const { composition, folder } = composing;
  const { parts, contents } = composition;
  const files = made.map(({ file, namesLanguage }, index) => ({
    id: String(index),
    file,
    origin: originOf(index),
    title: headings[index]!.title,
    isListed: parts[index]!.cover !== true,
    namesLanguage,
  }));
  const places = made.map(({ pages }, index) => ({ pages, startsOnRight: parts[index]!.startOn === 'right' }));
  if (!contents) return placeFiles(composing, files, places);
  // After the cover, and on the same side as the part that follows.
  const at = parts[0]?.cover === true ? 1 : 0;
  const startsOnRight = (parts[at] ?? parts[0])!.startOn === 'right';
  const placesWith = (pages: number): PartToPlace[] => places.toSpliced(at, 0, { pages, startsOnRight });
  const printed = await printContents(composing, {
    contents,
    headings,
    isListed: (index) => files[index]!.isListed,
    firstPages: (pages) =>
      placeParts(placesWith(pages))
        .toSpliced(at, 1)
        .map(({ firstPage }) => firstPage),
  });
  const file = join(folder, 'contents.pdf');
  await writeFile(file, printed.pdf, { mode: 0o600 });
  const contentsFile: UnplacedPart = {
    id: 'contents',
    file,
    origin: 'contents',
    title: printed.title,
    isListed: true,
    namesLanguage: true,
  };
  return placeFiles(composing, files.toSpliced(at, 0, contentsFile), placesWith(printed.pages));
};
