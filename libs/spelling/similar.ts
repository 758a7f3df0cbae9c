import leven, { closestMatch } from 'leven';

/** A name without the differences of spelling styles: `marginTop`, `margin-top` and `MARGIN_TOP` are the same. */
export const plainFormOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Longer names and values are not compared. */
export const maxComparedLength = 64;

/** Longer names may have more mistakes; very short ones are similar by chance. */
const maxDistanceOf = ({ length }: string): number => (length < 3 ? 0 : length < 5 ? 1 : length < 9 ? 2 : 3);

/** The numbers in a text with their letters, such as `3b`; a digit that is typed twice counts once. */
const numbersIn = (text: string): string =>
  (text.toLowerCase().match(/\d+[a-z]*/g) ?? []).join(' ').replaceAll(/(\d)\1+/g, '$1');

/**
 * The candidate that a text with typing mistakes means, in any letter case; undefined if none is similar. Other numbers are
 * no typing mistake: who names the level 3a of a standard does not mean 3b.
 */
export const similarTo = (text: string, candidates: readonly string[]): string | undefined => {
  const maxDistance = maxDistanceOf(text);
  if (maxDistance === 0 || text.length > maxComparedLength) return undefined;
  const numbers = numbersIn(text);
  const possible = candidates.filter((candidate) => numbers === '' || numbersIn(candidate) === numbers);
  const lowerCase = possible.map((candidate) => candidate.toLowerCase());
  const match = closestMatch(text.toLowerCase(), lowerCase, { maxDistance });
  return match === undefined ? undefined : possible[lowerCase.indexOf(match)];
};

const lettersOf = (text: string): string => text.split('').toSorted().join('');

/** The name that differs from a text by its spelling style, by one letter or by the order of letters; undefined if none does. */
export const misspeltNameOf = (text: string, names: readonly string[]): string | undefined => {
  if (text.length > maxComparedLength) return undefined;
  const plain = plainFormOf(text);
  const isMeant = (name: string): boolean =>
    leven(plain, plainFormOf(name), { maxDistance: 2 }) <= 1 || lettersOf(plain) === lettersOf(plainFormOf(name));
  return names.find((name) => plainFormOf(name) === plain) ?? names.find(isMeant);
};
