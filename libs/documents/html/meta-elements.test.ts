import { expect, it } from 'vitest';
import { metadataLine } from './meta-elements.ts';

it.each([
  ['control characters', ' a\u0000\u0085\n\u009fb\u2028c\ufffe ', 'a b c'],
  ['half a character', 'a\ud800b', 'a\ufffdb'],
  ['a character at the greatest length', `${'a'.repeat(999)}😀`, 'a'.repeat(999)],
])('Metadata with %s become one line that a PDF and XML can hold', (_, text, line) => {
  expect(metadataLine(text)).toBe(line);
});
