import { commandOutput } from './run-command.mjs';

const languageRequirement = (name, code, packageName) => ({
  name,
  packageName,
  isMetBy: (face) => face.languages.has(code),
});

const substituteRequirement = (name, family, packageName) => ({
  name,
  packageName,
  isMetBy: (face) => face.family.split(',').includes(family),
});

const fontRequirements = [
  languageRequirement('Latin', 'en', 'fonts-noto-core'),
  languageRequirement('Greek', 'el', 'fonts-noto-core'),
  languageRequirement('Cyrillic', 'ru', 'fonts-noto-core'),
  languageRequirement('Arabic', 'ar', 'fonts-noto-core'),
  languageRequirement('Hebrew', 'he', 'fonts-noto-core'),
  languageRequirement('Devanagari', 'hi', 'fonts-noto-core'),
  languageRequirement('Thai', 'th', 'fonts-noto-core'),
  languageRequirement('Chinese (simplified)', 'zh-cn', 'fonts-noto-cjk'),
  languageRequirement('Chinese (traditional)', 'zh-tw', 'fonts-noto-cjk'),
  languageRequirement('Japanese', 'ja', 'fonts-noto-cjk'),
  languageRequirement('Korean', 'ko', 'fonts-noto-cjk'),
  {
    name: 'colour emoji',
    packageName: 'fonts-noto-color-emoji',
    isMetBy: (face) => face.colour && face.languages.has('und-zsye'),
  },
  { name: 'fixed width', packageName: 'fonts-noto-mono', isMetBy: (face) => face.fixedWidth },
  {
    name: 'Arial and Times substitutes',
    packageName: 'fonts-liberation',
    isMetBy: (face) => /Liberation Sans|Arial/.test(face.family),
  },
  substituteRequirement('Calibri substitute', 'Carlito', 'fonts-crosextra-carlito'),
  substituteRequirement('Cambria substitute', 'Caladea', 'fonts-crosextra-caladea'),
  substituteRequirement('Verdana substitute', 'DejaVu Sans', 'fonts-dejavu-core'),
  substituteRequirement('Palatino and Georgia substitutes', 'TeX Gyre Pagella', 'fonts-texgyre'),
  substituteRequirement('Garamond substitute', 'EB Garamond', 'fonts-ebgaramond'),
  substituteRequirement('Comic Sans substitute', 'Comic Neue', 'fonts-comic-neue'),
  substituteRequirement('handwriting', 'Dancing Script', 'fonts-dancingscript'),
  substituteRequirement('formulas', 'STIX Math', 'fonts-stix'),
];

const parseFace = (line) => {
  const [family = '', languages = '', colour, spacing] = line.split('\t');
  return { family, languages: new Set(languages.split('|')), colour: colour === 'True', fixedWidth: spacing === '100' };
};

/** The requirements that the installed fonts do not meet. `listing` is the output of `listFonts`; undefined: no fontconfig. */
export const missingFonts = (listing) => {
  const faces = (listing ?? '').split('\n').filter(Boolean).map(parseFace);
  return fontRequirements.filter(({ isMetBy }) => !faces.some(isMetBy));
};

export const listFonts = () => commandOutput('fc-list', ['--format', '%{family}\\t%{lang}\\t%{color}\\t%{spacing}\\n']);
