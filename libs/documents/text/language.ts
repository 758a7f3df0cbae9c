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
 * A BCP 47 tag for what the script of the text gives away, else `und`: it decides between the regional forms of Han characters.
 * Japanese and Korean come first, because they mix Han with letters of their own.
 */
export const languageOf = (text: string): string => {
  const sample = text.slice(0, sampleLength);
  // eslint-disable-next-line no-control-regex
  if (/^[\u0000-\u036f]*$/.test(sample)) return 'und';
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  return scripts.find(([, script]) => (sample.match(script)?.length ?? 0) > letters * share)?.[0] ?? 'und';
};
