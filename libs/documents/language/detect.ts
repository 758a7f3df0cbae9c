import type { ConversionContext } from '../input.ts';

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
const minScriptShare = 0.05;

/** Frequent words that hardly occur in the other languages. */
const commonWords: Record<string, string> = {
  en: 'the of and to that was for with are this have from not you which were been their would will',
  de: 'der die das und ist nicht mit den von ein eine für auf dem des sich im auch werden wird zu oder bei sind',
  fr: 'le les des et est une dans pour qui que sur pas avec par du au sont cette vous nous ou être',
  es: 'el los las del y es en una por con para se que al como más su pero este está son',
  it: 'il gli della di che è un per con non sono del nel alla dei le si più come anche questo',
  nl: 'het een van en dat niet zijn voor met op aan te wordt ook bij deze naar heeft worden',
  pl: 'się nie na jest że do to przez dla oraz jak po od być są lub tym ich może który',
  pt: 'o os da do das não uma em para com por mais dos ao são foi é ou pela seu',
  sv: 'och att det som en på är av för med den till inte har ett om från kan var vid',
  da: 'og at det som en på er af for med den til ikke har et om fra kan der ved',
  cs: 'a se na je že to v z do ve pro jsou nebo které by jako s podle při který',
  ru: 'и в не на что с по как это для от из к его но или у до так при',
};
const languagesOfWords = new Map<string, string[]>();
for (const [language, list] of Object.entries(commonWords))
  for (const word of list.split(' ')) languagesOfWords.set(word, [...(languagesOfWords.get(word) ?? []), language]);

const sampleLength = 20_000;
/** Different ones, of more than one letter. */
const minCommonWords = 3;
/** Of prose, every third word is a common one. */
const minCommonShare = 0.08;
/** How much better the best language must be than the second best. */
const minLead = 1.25;

/** The language of most common words, if there are enough, and clearly more than of any other language. */
const languageByWords = (sample: string): string | undefined => {
  const words = sample.toLowerCase().match(/\p{L}+/gu) ?? [];
  const counts = new Map<string, number>();
  const found = new Map<string, Set<string>>();
  for (const word of words)
    for (const language of languagesOfWords.get(word) ?? []) {
      counts.set(language, (counts.get(language) ?? 0) + 1);
      if (word.length > 1) found.set(language, (found.get(language) ?? new Set()).add(word));
    }
  const [best, second] = [...counts].toSorted(([, a], [, b]) => b - a);
  if (!best || best[1] < words.length * minCommonShare) return undefined;
  // In tables, letters are grades, sizes and names of columns, and a word can be in each row.
  if ((found.get(best[0])?.size ?? 0) < minCommonWords) return undefined;
  return second && best[1] < second[1] * minLead ? undefined : best[0];
};

/**
 * The BCP 47 tag of the text's language, by its script or its most common words, else `und`. It selects the regional
 * forms of Han characters, the quotation marks of Markdown and the dictionary for hyphenation. Japanese and Korean are
 * tested first, because they mix Han with letters of their own.
 */
export const detectLanguage = (text: string): string => {
  const sample = text.slice(0, sampleLength);
  // eslint-disable-next-line no-control-regex
  if (/^[\u0000-\u036f]*$/.test(sample)) return languageByWords(sample) ?? 'und';
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  const byScript = writingScripts.find(([, script]) => (sample.match(script)?.length ?? 0) > letters * minScriptShare);
  return byScript?.[0] ?? languageByWords(sample) ?? 'und';
};

/** The language that the request names, else the detected one, else the default one, else `und`. */
export const languageOf = (text: string, { locale, defaultLocale }: ConversionContext = {}): string => {
  if (locale !== undefined) return locale;
  const detected = detectLanguage(text);
  return detected === 'und' ? (defaultLocale ?? detected) : detected;
};
