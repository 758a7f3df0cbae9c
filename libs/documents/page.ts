import { readFileSync } from 'node:fs';

const references: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text as it stands in HTML content or a double-quoted attribute value. */
export const escapeHtml = (text: string): string => (/[&<>"]/.test(text) ? text.replace(/[&<>"]/g, (sign) => references[sign] ?? sign) : text);

const scripts: [language: string, letters: RegExp][] = [
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
const share = 0.05;

/**
 * A BCP 47 tag for what the script of the text gives away, else `und`: it decides between the regional forms of Han
 * characters. Japanese and Korean come first, because they mix Han with letters of their own.
 */
export const languageOf = (text: string): string => {
  const sample = text.slice(0, sampleLength);
  // eslint-disable-next-line no-control-regex
  if (/^[\u0000-\u036f]*$/.test(sample)) return 'und';
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  return scripts.find(([, script]) => (sample.match(script)?.length ?? 0) > letters * share)?.[0] ?? 'und';
};

const read = (name: string): string => readFileSync(new URL(`./style/${name}.css`, import.meta.url), 'utf8').trim();

/** The style sheets of converted documents. `base` is under all of them. */
export type Sheet = 'prose' | 'code' | 'table' | 'tree' | 'word';

const base = read('base');
const sheets: Record<Sheet, string> = { prose: read('prose'), code: read('code'), table: read('table'), tree: read('tree'), word: read('word') };

const styleOf = (used: readonly Sheet[]): string => [base, ...used.map((sheet) => sheets[sheet])].join('\n');

/**
 * A complete document around converted content. `body` is HTML, `title` plain text; `dir="auto"` lets right-to-left
 * documents run their way.
 */
export const page = ({ title, language, sheets, body }: { title: string; language: string; sheets: readonly Sheet[]; body: string }): string => `<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${escapeHtml(title)}</title>
<style>
${styleOf(sheets)}
</style>
</head>
<body>
<main dir="auto">
${body}
</main>
</body>
</html>
`;
