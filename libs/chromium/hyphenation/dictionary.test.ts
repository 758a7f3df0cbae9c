import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileDictionary } from './dictionary.ts';
import { dictionaries, readPatterns } from './install.ts';

type HyphenPackage = {
  hyphenateSync: (text: string, options: { hyphenChar: string; minWordLength: number }) => string;
};
const load = createRequire(import.meta.url);

/**
 * Break positions as the browser finds them (hyphenator_aosp.cc); undefined for a letter that is not in the alphabet.
 */
const breaksIn = (file: Buffer, word: string): number[] | undefined => {
  const [alphabet, trie, levels] = [8, 12, 16].map((offset) => file.readUInt32LE(offset)) as [number, number, number];
  const at = (section: number, index: number): number => file.readUInt32LE(section + index * 4);
  const codes = new Map(
    Array.from({ length: at(alphabet, 1) }, (_, index) => [
      at(alphabet, 2 + index) >>> 11,
      at(alphabet, 2 + index) & 0x7ff,
    ]),
  );
  const letters = Array.from(word, (letter) => codes.get(letter.codePointAt(0)!));
  if (letters.includes(undefined)) return undefined;
  const padded = [0, ...(letters as number[]), 0];
  const [codeMask, linkShift, linkMask, patternShift] = [1, 2, 3, 4].map((index) => at(trie, index)) as [
    number,
    number,
    number,
    number,
  ];
  const found = Array.from({ length: padded.length + 1 }, () => 0);
  for (let start = 0; start < padded.length - 1; start += 1) {
    let node = 0;
    for (let end = start; end < padded.length; end += 1) {
      const edge = at(trie, 6 + node + padded[end]!);
      if ((edge & codeMask) !== padded[end]) break;
      node = (edge & linkMask) >>> linkShift;
      const pattern = at(levels, 4 + (at(trie, 6 + node) >>> patternShift));
      const [length, trailing] = [pattern >>> 26, (pattern >>> 20) & 0x3f];
      const offset = end + 1 - (length + trailing);
      for (let index = 0; index < length; index += 1) {
        const level = file[levels + at(levels, 2) + (pattern & 0xfffff) + index]!;
        if (offset + index >= 0) found[offset + index] = Math.max(found[offset + index]!, level);
      }
    }
  }
  return Array.from({ length: word.length - 3 }, (_, index) => index + 2).filter((index) => found[index]! % 2 === 1);
};

const languages = ['en-us', 'de-1996', 'fr', 'it', 'pl', 'es', 'nl'];

describe('A hyphenation dictionary', () => {
  test.each([
    ['en-us', 'hyphenation', 'hy-phen-ation'],
    ['en-us', 'associate', 'as-so-ciate'],
    ['de-1996', 'Rechtsschutzversicherung', 'Rechts-schutz-ver-si-che-rung'],
    ['fr', "l'internationalisation", "l'in-ter-na-tio-na-li-sa-tion"],
    ['pl', 'przedsiębiorstwo', 'przed-się-bior-stwo'],
  ])('of %s breaks "%s" as the patterns say', (language, word, expected) => {
    const breaks = breaksIn(compileDictionary(readPatterns(language)), word)!;
    expect(Array.from(word, (letter, index) => (breaks.includes(index) ? `-${letter}` : letter)).join('')).toBe(
      expected,
    );
  });

  test.each(languages)('of %s breaks every word where the npm package does', (language) => {
    const file = compileDictionary(readPatterns(language));
    const { hyphenateSync } = load(`hyphen/${language}`) as HyphenPackage;
    const word = fc.string({ unit: fc.constantFrom(...'abcdefghijklmnoprstuvwyz'), minLength: 5, maxLength: 20 });
    fc.assert(
      fc.property(word, (text) => {
        const hyphenated = hyphenateSync(text, { hyphenChar: '|', minWordLength: 2 });
        const expected: number[] = [];
        for (const part of hyphenated.split('|').slice(0, -1)) expected.push((expected.at(-1) ?? 0) + part.length);
        expect(breaksIn(file, text)).toEqual(expected);
      }),
    );
  });

  test('knows no word with a letter of another script', () => {
    expect(breaksIn(compileDictionary(readPatterns('en-us')), 'жижижи')).toBeUndefined();
  });
});

test('Patterns under the GPL or without a licence are not installed', () => {
  for (const language of ['cs', 'sk', 'lv', 'ro']) expect(dictionaries.flat()).not.toContain(language);
});
