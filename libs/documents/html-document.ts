import { readFileSync } from 'node:fs';

const htmlEntities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export const escapeHtml = (text: string): string =>
  /[&<>"]/.test(text) ? text.replace(/[&<>"]/g, (character) => htmlEntities[character] ?? character) : text;

const writingScripts: [language: string, letters: RegExp][] = [
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['ko', /\p{Script=Hangul}/gu],
  ['zh', /\p{Script=Han}/gu],
  ['ar', /\p{Script=Arabic}/gu],
  ['he', /\p{Script=Hebrew}/gu],
  ['hi', /\p{Script=Devanagari}/gu],
  ['th', /\p{Script=Thai}/gu],
  ['el', /\p{Script=Greek}/gu],
];
const sampleLength = 20_000;
const minScriptShare = 0.05;

/**
 * The BCP 47 tag for the script of the text, else `und`; it selects the regional forms of Han characters. Japanese and
 * Korean are tested first, because they mix Han with letters of their own.
 */
export const detectLanguage = (text: string): string => {
  const sample = text.slice(0, sampleLength);
  // eslint-disable-next-line no-control-regex
  if (/^[\u0000-\u036f]*$/.test(sample)) return 'und';
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  return (
    writingScripts.find(([, script]) => (sample.match(script)?.length ?? 0) > letters * minScriptShare)?.[0] ?? 'und'
  );
};

const readStyleSheet = (name: string): string =>
  readFileSync(new URL(`./style/${name}.css`, import.meta.url), 'utf8').trim();

/** The style sheets of converted documents. `base` is part of all of them. */
export type StyleSheetName = 'prose' | 'code' | 'table' | 'tree' | 'word';

const baseStyleSheet = readStyleSheet('base');
const styleSheets: Record<StyleSheetName, string> = {
  prose: readStyleSheet('prose'),
  code: readStyleSheet('code'),
  table: readStyleSheet('table'),
  tree: readStyleSheet('tree'),
  word: readStyleSheet('word'),
};

const joinStyleSheets = (used: readonly StyleSheetName[]): string =>
  [baseStyleSheet, ...used.map((sheet) => styleSheets[sheet])].join('\n');

/**
 * A complete document around converted content. `body` is HTML, `title` is plain text. With `dir="auto"`, right-to-left
 * documents have their own direction.
 */
export const htmlDocument = ({
  title,
  language,
  styleSheets: used,
  body,
}: {
  title: string;
  language: string;
  styleSheets: readonly StyleSheetName[];
  body: string;
}): string => `<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${escapeHtml(title)}</title>
<style>
${joinStyleSheets(used)}
</style>
</head>
<body>
<main dir="auto">
${body}
</main>
</body>
</html>
`;
