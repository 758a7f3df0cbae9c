import fc from 'fast-check';
import { expect, test } from 'vitest';
import { messagesOf } from './frames.ts';

test('messages come out whole, however the bytes were cut', () => {
  const message = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((text) => !text.includes('\0'));
  fc.assert(
    fc.property(fc.array(message), fc.array(fc.nat(200)), (messages, cuts) => {
      const bytes = Buffer.from(messages.map((text) => `${text}\0`).join(''));
      const places = [...new Set([0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length])].toSorted((a, b) => a - b);
      const heard: string[] = [];
      const hear = messagesOf((text) => heard.push(text));
      for (const [index, place] of places.entries()) hear(bytes.subarray(place, places[index + 1]));
      expect(heard).toEqual(messages);
    }),
  );
});
