import type { PdfPage, TextRun } from './read-pdf.ts';

/** In millimetres. The browser rounds margins to its own units. */
const tolerance = 1;

const placeOf = ({ text, left, right, top }: TextRun): string =>
  `"${text.slice(0, 40)}" from ${left.toFixed(1)} to ${right.toFixed(1)} mm at ${top.toFixed(1)} mm`;

/** The texts outside the page or in its left or right margin. Margins are in millimetres. */
export const outsideOf = (pages: readonly PdfPage[], margins: { left: number; right: number }): string[] =>
  pages.flatMap(({ width, height, runs }, index) =>
    runs
      .filter(
        ({ left, right, top }) =>
          left < margins.left - tolerance || right > width - margins.right + tolerance || top < 0 || top > height,
      )
      .map((run) => `page ${index + 1}: ${placeOf(run)}`),
  );

const millimetresPerPoint = 25.4 / 72;

/** The part of a line that small letters fill, so that lines close to each other do not count as overlapping. */
const boxOf = ({ left, right, top, size }: TextRun) => ({
  left,
  right,
  bottom: top,
  top: top - 0.45 * size * millimetresPerPoint,
});

/** Combining marks and spaces are within the text that they belong to. */
const hasOwnSpace = ({ text, left, right }: TextRun): boolean => right - left > 0.3 && /[\p{L}\p{N}]/u.test(text);

/** The pairs of texts that cover each other. */
export const overlapsOf = (pages: readonly PdfPage[]): string[] =>
  pages.flatMap(({ runs }, index) => {
    const boxes = runs.filter(hasOwnSpace).map((run) => ({ run, box: boxOf(run) }));
    boxes.sort((a, b) => a.box.top - b.box.top);
    return boxes.flatMap(({ run, box }, at) => {
      const found: string[] = [];
      for (let next = at + 1; next < boxes.length && boxes[next]!.box.top < box.bottom - 0.2; next += 1) {
        const other = boxes[next]!;
        const covered = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
        if (covered > 0.5) found.push(`page ${index + 1}: ${placeOf(run)} and ${placeOf(other.run)}`);
      }
      return found;
    });
  });
