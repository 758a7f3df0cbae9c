import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { detectLanguage } from './detect.ts';

/** Texts in each language, short ones, ones in languages that resemble others, and names in texts of other languages. */
const { detected, similar, short, names } = JSON.parse(
  await readFile(new URL('../../../test/fixtures/documents/languages.json', import.meta.url), 'utf8'),
) as Record<'detected' | 'similar', Record<string, string>> & { short: Record<string, string[]>; names: string[] };

test.each(Object.entries(detected))('%s is detected', (language, text) => expect(detectLanguage(text)).toBe(language));

test.each(Object.entries(similar))('%s is not taken for a language like it', (_, text) =>
  expect(detectLanguage(text)).toBe('und'),
);

const shortTexts = Object.entries(short).flatMap(([language, texts]) => texts.map((text) => [language, text] as const));
test.each(shortTexts)('%s is detected by letters that few other languages have: %s', (language, text) =>
  expect(detectLanguage(text)).toBe(language),
);

test.each(names)('names and quoted words do not decide the language: %s', (text) =>
  expect(['uk', 'hu']).not.toContain(detectLanguage(text)),
);

const grades = 'Name,Grade\nAnna,A\nBen,A\nCarla,A\nDan,B';
const columns = '{"k":1,"v":2} {"k":3,"v":4} {"i":1,"o":2} {"i":1,"o":2} {"i":1,"o":2}';
const repeated = 'von,12\nvon,13\nvon,14\nvon,15';
test.each([
  '',
  '12.50 EUR',
  'const a = b;',
  'name,price,quantity\nPen,1.20,3',
  'Colophon GmbH',
  grades,
  columns,
  repeated,
])('too few words are no language: %s', (text) => expect(detectLanguage(text)).toBe('und'));
