import { outputOf } from './run-command.mjs';

const language = (name, code, package_) => ({ name, package: package_, isIn: (face) => face.languages.has(code) });

const needs = [
  language('Latin', 'en', 'fonts-noto-core'),
  language('Greek', 'el', 'fonts-noto-core'),
  language('Cyrillic', 'ru', 'fonts-noto-core'),
  language('Arabic', 'ar', 'fonts-noto-core'),
  language('Hebrew', 'he', 'fonts-noto-core'),
  language('Devanagari', 'hi', 'fonts-noto-core'),
  language('Thai', 'th', 'fonts-noto-core'),
  language('Chinese (simplified)', 'zh-cn', 'fonts-noto-cjk'),
  language('Chinese (traditional)', 'zh-tw', 'fonts-noto-cjk'),
  language('Japanese', 'ja', 'fonts-noto-cjk'),
  language('Korean', 'ko', 'fonts-noto-cjk'),
  {
    name: 'colour emoji',
    package: 'fonts-noto-color-emoji',
    isIn: (face) => face.colour && face.languages.has('und-zsye'),
  },
  { name: 'fixed width', package: 'fonts-noto-mono', isIn: (face) => face.fixedWidth },
  {
    name: 'Arial and Times look-alikes',
    package: 'fonts-liberation',
    isIn: (face) => /Liberation Sans|Arial/.test(face.family),
  },
];

const parseFace = (line) => {
  const [family = '', languages = '', colour, spacing] = line.split('\t');
  return { family, languages: new Set(languages.split('|')), colour: colour === 'True', fixedWidth: spacing === '100' };
};

/** What the fonts of this machine cannot write, given what `fc-list` prints; undefined stands for a machine without fontconfig. */
export const missingFonts = (listing) => {
  const faces = (listing ?? '').split('\n').filter(Boolean).map(parseFace);
  return needs.filter((need) => !faces.some(need.isIn));
};

export const listFonts = () => outputOf('fc-list', ['--format', '%{family}\\t%{lang}\\t%{color}\\t%{spacing}\\n']);
