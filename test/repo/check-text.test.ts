import { expect, test } from 'vitest';
import { checkPath, checkText } from '../../scripts/check/check-text.ts';
import { retiredWords } from '../../scripts/check/retired-words.ts';

test.each(retiredWords)('lint refuses "$word" as a word, in a name, and in the name of a file', ({ word, use }) => {
  const name = `open${word[0]?.toUpperCase()}${word.slice(1)}`;
  const message = expect.stringMatching(new RegExp(`is a retired word; use: ${use}$`));
  expect(checkText('a.md', `a ${word} here`)).toEqual([message]);
  expect(checkText('a.ts', `\nconst ${name} = 1;`)).toEqual([expect.stringMatching(/^a\.ts:2: /)]);
  expect(checkPath(`libs/${word}/port.ts`)).toEqual([message]);
});

test.each(['bandwidth', 'LibreOffice', 'history', 'the officeDocument relationship', 'planet'])(
  'lint accepts "%s", which only contains or names such a word',
  (text) => {
    expect(checkText('a.ts', `// ${text}`)).toEqual([]);
  },
);

test('lint refuses lines of code over 140 columns, and accepts them in texts', () => {
  expect(checkText('a.ts', '/'.repeat(140))).toEqual([]);
  expect(checkText('a.ts', '/'.repeat(141))).toEqual(['a.ts:1: 141 columns; at most 140 are allowed']);
  expect(checkText('a.md', 'x'.repeat(141))).toEqual([]);
});
