const colourFont = /\/Subtype\/TrueType\/BaseFont\/[A-Z]{6}\+NotoColorEmoji\s*\/FirstChar 0\s*\/LastChar (\d+)/g;

/**
 * How many different emoji a PDF of LibreOffice has only as text. Before version 7.5 it writes the colour font, which
 * consists of pictures, as a font of outlines, of which it has none.
 */
export const countUnprintedEmoji = (pdf: Buffer): number =>
  pdf.includes('+NotoColorEmoji')
    ? pdf
        .toString('latin1')
        .matchAll(colourFont)
        .reduce((count, [, lastCode]) => count + Number(lastCode), 0)
    : 0;
