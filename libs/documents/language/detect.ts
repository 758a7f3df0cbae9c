import type { ConversionContext } from '../input.ts';

const writingScripts: [language: string, letters: RegExp][] = [
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['ko', /\p{Script=Hangul}/gu],
  ['zh', /\p{Script=Han}/gu],
  // Letters that Urdu, then Persian, adds to the Arabic script.
  ['ur', /[ٹڈڑںہے]/gu],
  ['fa', /[پچژگکی]/gu],
  ['ar', /\p{Script=Arabic}/gu],
  ['he', /\p{Script=Hebrew}/gu],
  ['th', /\p{Script=Thai}/gu],
  ['el', /\p{Script=Greek}/gu],
];
const minScriptShare = 0.05;

const languageByScript = (sample: string): string | undefined => {
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  return writingScripts.find(([, script]) => (sample.match(script)?.length ?? 0) > letters * minScriptShare)?.[0];
};

/** The most frequent words of each language. */
const commonWords: Record<string, string> = {
  en: 'the of and to in a is that was for with are this have from not you which were been it as by on be at or',
  de: 'der die das und ist nicht mit den von ein eine für auf dem des sich im auch werden wird zu oder bei sind in nach als',
  fr: 'le la les de des et est un une dans pour qui que sur pas avec par du au sont cette vous nous ou être en il a ne se',
  es: 'el la los las de del y es en un una por con para se que al como más su pero este está son no lo a o',
  it: 'il la gli le di della dei del che è un una per con non sono nel alla si più come anche questo e a da in i',
  nl: 'het een van en de dat niet zijn voor met op aan te wordt ook bij deze naar heeft worden is in die er als na',
  af: 'die van en is nie het in te wat met vir hulle op as om word deur ook',
  pl: 'się nie na jest że do to przez dla oraz jak po od być są lub tym ich może który w z i a o',
  pt: 'o a os as de da do das não uma um em para com por mais dos ao são foi é ou pela seu que se no na e',
  sv: 'och att det som en på är av för med den till inte har ett om från kan var vid',
  da: 'og at det som en på er af for med den til ikke har et om fra kan der ved efter også blev',
  nb: 'og at det som en på er av for med den til ikke har et om fra kan vi ved etter også ble',
  fi: 'ja on ei se että oli mutta kun niin myös tai ovat joka jos sekä kanssa',
  hu: 'a az és hogy nem is egy van meg ez de vagy csak által kell szerint',
  ro: 'și de la în cu pe nu este din care un o că se sau pentru prin sunt fi a ale mai',
  ca: 'el la els les de del i és que en un una per amb no al com més seu però aquest està són es a o dels',
  cs: 'a se na je že to v z do ve pro jsou nebo které by jako s podle při který',
  sk: 'a sa na je že to v z do vo pre sú alebo ktoré by ako s podľa pri ktorý',
  sl: 'in je na za se da v so ki pri z od po ali ni kot ter to bi',
  hr: 'i je na za se da u su koji od iz ili nije kao te to bi s',
  tr: 've bir bu için ile de da olarak daha çok gibi veya olan göre',
  ru: 'и в не на что с по как это для от из к его но или у до так при',
  uk: 'і в не на що з по як це для від із до його але або у та за при',
  be: 'і ў не на што з па як гэта для ад да яго але або у ці за пры',
  bg: 'и в не на че с по като това за от към до или да се са е със при',
  sr: 'и у не на да се је са као за од до или су по што који при из',
  hi: 'है के में की से और का को हैं पर यह ने भी नहीं एक लिए',
  mr: 'आहे आणि च्या या व हे की ते आहेत नाही एक मध्ये केली साठी',
  ne: 'छ र को मा यो हो छन् का लागि पनि गर्न भएको एक',
};
const languagesOfWords = new Map<string, string[]>();
for (const [language, list] of Object.entries(commonWords))
  for (const word of list.split(' ')) languagesOfWords.set(word, [...(languagesOfWords.get(word) ?? []), language]);

const sampleLength = 20_000;
/** Different ones, of more than one letter. */
const minCommonWords = 3;
/** Of prose, every third word is a common one. */
const minCommonShare = 0.08;
/** How many times more words the best language must have than the second best, of those that only one of them has. */
const minLead = 2;

/** The language of most common words, if there are enough, and clearly more than of any other language. */
const languageByWords = (sample: string): string | undefined => {
  const words = sample.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];
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
  const countOnly = (language: string, other: string): number =>
    words.filter((word) => {
      const languages = languagesOfWords.get(word);
      return languages?.includes(language) === true && !languages.includes(other);
    }).length;
  if (second && countOnly(best[0], second[0]) < Math.max(1, minLead * countOnly(second[0], best[0]))) return undefined;
  return best[0];
};

/**
 * `own` are letters that few other languages have. Names with them occur in any language, so a word in lower case must have
 * one. `frequent` are letters in at least the share `minShare` of all words. `foreign` are those of the script that the
 * language does not have; they exclude the others.
 */
const ownLetters = [
  {
    language: 'uk',
    own: /[їє]/,
    frequent: /і/,
    minShare: 1 / 8,
    foreign: /[^\P{Script=Cyrillic}абвгґдеєжзиіїйклмнопрстуфхцчшщьюя]/u,
  },
  { language: 'hu', own: /[őű]/, frequent: /[áéíóöúü]/, minShare: 1 / 3, foreign: /[^\P{Script=Latin}a-záéíóöőúüű]/u },
];
/** Different words with such letters. */
const minWords = 2;

/** The language of a text with few common words, by its letters. */
const languageByLetters = (sample: string): string | undefined => {
  const words = sample.match(/[\p{L}\p{M}]+/gu) ?? [];
  const lowerCase = sample.toLowerCase();
  return ownLetters.find(({ own, frequent, minShare, foreign }) => {
    if (foreign.test(lowerCase)) return false;
    const withOwn = words.filter((word) => own.test(word) && word === word.toLowerCase());
    const withFrequent = words.filter((word) => frequent.test(word.toLowerCase()));
    const isFrequent = withFrequent.length > 0 && withFrequent.length >= words.length * minShare;
    return isFrequent && withOwn.length > 0 && new Set([...withOwn, ...withFrequent]).size >= minWords;
  })?.language;
};

/**
 * The BCP 47 tag of the text's language, by its script, its most common words or its letters, else `und`. It selects the
 * regional forms of Han characters, the quotation marks of Markdown and the dictionary for hyphenation. Japanese and Korean are
 * tested first, because they mix Han with letters of their own.
 */
export const detectLanguage = (text: string): string => {
  const sample = text.slice(0, sampleLength);
  // eslint-disable-next-line no-control-regex
  const isLatin = /^[\u0000-\u036f]*$/.test(sample);
  return (
    (isLatin ? undefined : languageByScript(sample)) ?? languageByWords(sample) ?? languageByLetters(sample) ?? 'und'
  );
};

/** The language that the request names, else the detected one, else the default one, else `und`. */
export const languageOf = (text: string, { locale, defaultLocale }: ConversionContext = {}): string => {
  if (locale !== undefined) return locale;
  const detected = detectLanguage(text);
  return detected === 'und' ? (defaultLocale ?? detected) : detected;
};
