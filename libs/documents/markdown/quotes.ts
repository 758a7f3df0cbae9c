/** Double quotation marks, then those inside them. */
export type QuoteStyle = readonly [open: string, close: string, innerOpen: string, innerClose: string];

const narrowSpace = '\u202f';
const english: QuoteStyle = ['“', '”', '‘', '’'];
const french: QuoteStyle = [`«${narrowSpace}`, `${narrowSpace}»`, '“', '”'];
const german: QuoteStyle = ['„', '“', '‚', '‘'];
const guillemets: QuoteStyle = ['«', '»', '“', '”'];
const swiss: QuoteStyle = ['«', '»', '‹', '›'];
const lowAndGuillemets: QuoteStyle = ['„', '”', '«', '»'];
const nordic: QuoteStyle = ['”', '”', '’', '’'];
const eastern: QuoteStyle = ['«', '»', '„', '“'];

const styles: Record<string, QuoteStyle> = {
  de: german,
  'de-ch': swiss,
  'de-li': swiss,
  bg: german,
  cs: german,
  et: german,
  lt: german,
  sk: german,
  sl: german,
  is: german,
  fr: french,
  'fr-ch': swiss,
  es: guillemets,
  ca: guillemets,
  it: guillemets,
  'it-ch': swiss,
  pt: guillemets,
  'pt-br': english,
  el: guillemets,
  da: ['»', '«', '›', '‹'],
  nb: ['«', '»', '‘', '’'],
  nn: ['«', '»', '‘', '’'],
  no: ['«', '»', '‘', '’'],
  sv: nordic,
  fi: nordic,
  pl: lowAndGuillemets,
  ro: lowAndGuillemets,
  hu: ['„', '”', '»', '«'],
  hr: ['„', '”', '‘', '’'],
  ru: eastern,
  uk: eastern,
  be: eastern,
};

/** These languages write other marks than those that a straight quotation mark stands for. */
const untouched = new Set(['ja', 'zh', 'ko', 'ar', 'fa', 'ur', 'he', 'yi', 'hi', 'th']);

/** The quotation marks of a language, English ones where it is not known; undefined where straight ones must stay. */
export const quoteStyleOf = (language: string): QuoteStyle | undefined => {
  const tag = language.toLowerCase();
  const [primary = ''] = tag.split('-');
  return untouched.has(primary) ? undefined : (styles[tag] ?? styles[primary] ?? english);
};
