import { expect, test } from 'vitest';
import { countUnprintedEmoji } from './unprinted-emoji.ts';

const font = (name: string, type: string, last: number): string =>
  `<</Type/Font/Subtype/${type}/BaseFont/CAAAAA+${name}\n/FirstChar 0\n/LastChar ${last}\n/Widths[0 1245 ]>>\n`;

test('Emoji are counted that have a font of outlines', () => {
  const count = (...fonts: string[]) => countUnprintedEmoji(Buffer.from(`%PDF-1.7\n${fonts.join('')}`));
  const emoji = font('NotoColorEmoji', 'TrueType', 255);
  expect(count(font('LiberationSerif', 'TrueType', 9), emoji, font('NotoColorEmoji', 'TrueType', 2))).toBe(257);
  expect(count(font('LiberationSerif', 'TrueType', 9), font('NotoColorEmoji', 'Type3', 2))).toBe(0);
});
