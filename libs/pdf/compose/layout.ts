/** A part of a composed document: the number of its pages, and where it begins. */
export type PartToPlace = { pages: number; startsOnRight: boolean };
/** `firstPage` counts from 1 in the whole document. */
export type PlacedPart = { firstPage: number; isBlankBefore: boolean };

/** Puts parts one after the other. One that begins on the right gets a blank page before it if needed. */
export const placeParts = (parts: readonly PartToPlace[]): PlacedPart[] => {
  let next = 1;
  return parts.map(({ pages, startsOnRight }) => {
    const isBlankBefore = startsOnRight && next % 2 === 0;
    const firstPage = next + Number(isBlankBefore);
    next = firstPage + pages;
    return { firstPage, isBlankBefore };
  });
};

/** The number of all pages, the blank ones included. */
export const countPlacedPages = (parts: readonly PartToPlace[], placed: readonly PlacedPart[]): number =>
  (placed.at(-1)?.firstPage ?? 1) - 1 + (parts.at(-1)?.pages ?? 0);
