type Substitution = {
  families: readonly string[];
  /** The first installed one is used. */
  substitutes: readonly string[];
  /** With the same widths, a text keeps its line breaks. */
  sameWidths?: true;
};

const sans = ['Noto Sans', 'DejaVu Sans', 'Liberation Sans'];
const serif = ['Noto Serif', 'DejaVu Serif', 'Liberation Serif'];
const mono = ['Noto Sans Mono', 'DejaVu Sans Mono', 'Liberation Mono'];
const handwriting = ['Dancing Script', 'TeX Gyre Chorus', 'Comic Neue'];

/** The substitutes for font families of Windows, macOS and PostScript, the most similar first. */
const substitutions: readonly Substitution[] = [
  { families: ['Arial', 'Helvetica'], substitutes: ['Liberation Sans', 'Arimo'], sameWidths: true },
  { families: ['Times New Roman', 'Times'], substitutes: ['Liberation Serif', 'Tinos'], sameWidths: true },
  { families: ['Courier New', 'Courier'], substitutes: ['Liberation Mono', 'Cousine'], sameWidths: true },
  { families: ['Calibri'], substitutes: ['Carlito'], sameWidths: true },
  { families: ['Cambria'], substitutes: ['Caladea'], sameWidths: true },
  { families: ['Georgia'], substitutes: ['Gelasio'], sameWidths: true },
  { families: ['Arial Narrow', 'Helvetica Narrow'], substitutes: ['Liberation Sans Narrow'], sameWidths: true },
  {
    families: ['Palatino', 'Palatino Linotype', 'Book Antiqua', 'URW Palladio L'],
    substitutes: ['TeX Gyre Pagella', 'P052'],
    sameWidths: true,
  },
  {
    families: ['Century Schoolbook', 'New Century Schoolbook'],
    substitutes: ['TeX Gyre Schola', 'C059'],
    sameWidths: true,
  },
  {
    families: ['Bookman Old Style', 'Bookman', 'ITC Bookman'],
    substitutes: ['TeX Gyre Bonum', 'URW Bookman'],
    sameWidths: true,
  },
  {
    families: ['Avant Garde', 'ITC Avant Garde Gothic', 'Century Gothic'],
    substitutes: ['TeX Gyre Adventor', 'URW Gothic'],
    sameWidths: true,
  },
  {
    families: ['Zapf Chancery', 'ITC Zapf Chancery', 'Apple Chancery', 'Monotype Corsiva'],
    substitutes: ['TeX Gyre Chorus', 'Z003', ...handwriting],
    sameWidths: true,
  },
  { families: ['Georgia', 'Constantia', 'Baskerville'], substitutes: ['TeX Gyre Pagella', 'P052', ...serif] },
  { families: ['Garamond', 'EB Garamond', 'Adobe Garamond Pro'], substitutes: ['EB Garamond 12', 'EB Garamond'] },
  { families: ['Garamond', 'Hoefler Text', 'Didot'], substitutes: ['TeX Gyre Pagella', ...serif] },
  { families: ['Verdana', 'Geneva', 'Lucida Sans Unicode', 'Lucida Grande'], substitutes: ['DejaVu Sans', ...sans] },
  {
    families: ['Tahoma', 'Segoe UI', 'Trebuchet MS', 'Open Sans', 'Candara', 'Corbel', 'Gill Sans', 'Optima'],
    substitutes: sans,
  },
  { families: ['Helvetica Neue', 'San Francisco', 'Arial Unicode MS'], substitutes: ['Liberation Sans', ...sans] },
  { families: ['Futura'], substitutes: ['TeX Gyre Adventor', ...sans] },
  { families: ['Consolas', 'Lucida Console', 'Andale Mono', 'Cascadia Code', 'SF Mono'], substitutes: mono },
  { families: ['Menlo', 'Monaco'], substitutes: ['DejaVu Sans Mono', ...mono] },
  { families: ['Comic Sans MS', 'Chalkboard'], substitutes: ['Comic Neue', ...handwriting] },
  // The browser looks for Latin Modern Math if a document asks for `math`.
  { families: ['Cambria Math', 'Latin Modern Math'], substitutes: ['STIX Two Math', 'STIX Math', 'Noto Sans Math'] },
  {
    families: ['Brush Script MT', 'Segoe Script', 'Lucida Handwriting', 'Snell Roundhand'],
    substitutes: handwriting,
  },
  // The browser looks for these two if a document asks for `cursive` or `fantasy`.
  { families: ['Script'], substitutes: handwriting },
  { families: ['Impact'], substitutes: ['TeX Gyre Adventor', 'Liberation Sans Narrow', ...sans] },
];

export type FontSubstitute = { family: string; substitute: string };

const lowerCase = (families: Iterable<string>): Map<string, string> =>
  new Map(Array.from(families, (family) => [family.toLowerCase(), family]));

/** The substitutes for families that are not installed. */
export const fontSubstitutes = (installedFamilies: Iterable<string>): FontSubstitute[] => {
  const installed = lowerCase(installedFamilies);
  const found = new Map<string, string>();
  for (const { families, substitutes } of substitutions) {
    const substitute = substitutes.find((family) => installed.has(family.toLowerCase()));
    for (const family of substitute === undefined ? [] : families)
      if (!installed.has(family.toLowerCase()) && !found.has(family)) found.set(family, substitute!);
  }
  return [...found].map(([family, substitute]) => ({ family, substitute }));
};

/** Whether the letters of a substitute have the same widths as those of the family. */
export const hasSameWidths = (family: string, substitute: string): boolean =>
  substitutions.some(
    ({ families, substitutes, sameWidths }) =>
      sameWidths === true &&
      families.some((name) => name.toLowerCase() === family.toLowerCase()) &&
      substitutes.some((name) => name.toLowerCase() === substitute.toLowerCase()),
  );
