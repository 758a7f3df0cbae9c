import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMessageParser } from './message-parser.ts';

test('only the beginning, ending and size of an oversized message are passed on, and other messages are complete', () => {
  const oversized: [string, string, number][] = [];
  const received: string[] = [];
  const parse = createMessageParser((text) => received.push(text), {
    maxBytes: (beginning) => (beginning.startsWith('short') ? 5 : 10),
    onMessage: ({ beginning, ending, bytes }) => void oversized.push([beginning, ending, bytes]),
  });
  for (const piece of ['one', '\0a message', ' that is ', 'too long', '\0', 'ten bytes.\0', '\0end\0'])
    parse(Buffer.from(piece));
  parse(Buffer.concat([Buffer.from('x'.repeat(500)), Buffer.from([0])]));
  for (const piece of ['short', '\0sho', 'rt', 's\0', 'other\0']) parse(Buffer.from(piece));
  expect(received).toEqual(['one', 'ten bytes.', '', 'end', 'short', 'other']);
  expect(oversized).toEqual([
    ['a message that is ', 'a message that is too long', 26],
    ['x'.repeat(100), 'x'.repeat(100), 500],
    ['shorts', 'shorts', 6],
  ]);
});

test('messages are complete, however the bytes are split', () => {
  const message = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((text) => !text.includes('\0'));
  fc.assert(
    fc.property(fc.array(message), fc.array(fc.nat(200)), (messages, cuts) => {
      const bytes = Buffer.from(messages.map((text) => `${text}\0`).join(''));
      const offsets = [...new Set([0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length])].toSorted(
        (a, b) => a - b,
      );
      const received: string[] = [];
      const parse = createMessageParser((text) => received.push(text));
      for (const [index, offset] of offsets.entries()) parse(bytes.subarray(offset, offsets[index + 1]));
      expect(received).toEqual(messages);
    }),
  );
});
