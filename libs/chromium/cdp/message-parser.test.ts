import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMessageParser } from './message-parser.ts';

test('of a message that is too long only the beginning and the size come out, and the others as ever', () => {
  const long: [string, string, number][] = [];
  const heard: string[] = [];
  const take = createMessageParser((text) => heard.push(text), {
    maxBytes: (beginning) => (beginning.startsWith('short') ? 5 : 10),
    onMessage: ({ beginning, ending, bytes }) => void long.push([beginning, ending, bytes]),
  });
  for (const piece of ['one', '\0a message', ' that is ', 'too long', '\0', 'ten bytes.\0', '\0end\0'])
    take(Buffer.from(piece));
  take(Buffer.concat([Buffer.from('x'.repeat(500)), Buffer.from([0])]));
  for (const piece of ['short', '\0sho', 'rt', 's\0', 'other\0']) take(Buffer.from(piece));
  expect(heard).toEqual(['one', 'ten bytes.', '', 'end', 'short', 'other']);
  expect(long).toEqual([
    ['a message that is ', 'a message that is too long', 26],
    ['x'.repeat(100), 'x'.repeat(100), 500],
    ['shorts', 'shorts', 6],
  ]);
});

test('messages come out whole, however the bytes were cut', () => {
  const message = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((text) => !text.includes('\0'));
  fc.assert(
    fc.property(fc.array(message), fc.array(fc.nat(200)), (messages, cuts) => {
      const bytes = Buffer.from(messages.map((text) => `${text}\0`).join(''));
      const places = [...new Set([0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length])].toSorted(
        (a, b) => a - b,
      );
      const heard: string[] = [];
      const hear = createMessageParser((text) => heard.push(text));
      for (const [index, place] of places.entries()) hear(bytes.subarray(place, places[index + 1]));
      expect(heard).toEqual(messages);
    }),
  );
});
