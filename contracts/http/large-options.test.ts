import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeLargeOptions, encodeLargeOptions, splitLargeOptions } from './large-options.ts';

const watermark = { text: 'DRAFT', opacity: 1, position: 'center', layer: 'over', color: '#888888' } as const;
const bytes = fc.uint8Array({ maxLength: 50 }).map((array) => Buffer.from(array));
const attachment = fc.record(
  { name: fc.string(), data: fc.oneof(bytes, fc.base64String()), description: fc.string() },
  { requiredKeys: ['name', 'data'] },
);

test('large options survive encoding, with files as bytes and as base64', () => {
  fc.assert(
    fc.property(fc.array(attachment), (attachments) => {
      const options = { attachments, watermark };
      const decoded = decodeLargeOptions(encodeLargeOptions(options));
      const withBuffers = decoded.attachments?.map(({ data, ...file }) => ({
        ...file,
        data: typeof data === 'string' ? data : Buffer.from(data),
      }));
      expect({ ...decoded, attachments: withBuffers }).toEqual(options);
    }),
  );
});

test('large options without bytes are JSON', () => {
  const options = { attachments: [{ name: 'a', data: 'YQ==' }] };
  expect(Buffer.from(encodeLargeOptions(options)).toString()).toBe(JSON.stringify(options));
});

test('options are split into large and other ones', () => {
  expect(splitLargeOptions({ scale: 2, watermark })).toEqual({
    options: { scale: 2 },
    largeOptions: { watermark },
  });
  expect(splitLargeOptions({ scale: 2, watermark: undefined })).toEqual({ options: { scale: 2 }, largeOptions: null });
});
