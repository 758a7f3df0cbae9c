import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeBundle, encodeBundle } from './bundle.ts';

const asset = fc.record({
  name: fc.string({ unit: 'grapheme' }),
  type: fc.option(fc.string()),
  bytes: fc.uint8Array({ maxLength: 200 }),
});
const assets = fc.array(asset, { maxLength: 8 });

it('A bundle holds the names, types and bytes of its assets, in their order', () => {
  fc.assert(
    fc.property(assets, (sent) => {
      expect(decodeBundle(encodeBundle(sent))).toEqual(sent);
    }),
  );
});

it('The same assets are the same bytes', () => {
  fc.assert(
    fc.property(assets, (sent) => {
      expect(encodeBundle(structuredClone(sent))).toEqual(encodeBundle(sent));
    }),
  );
});

it('A bundle that was cut off, or that has further bytes, is refused', () => {
  fc.assert(
    fc.property(assets, fc.nat(), (sent, nat) => {
      const bundle = encodeBundle(sent);
      expect(() => decodeBundle(bundle.subarray(0, nat % bundle.byteLength))).toThrow(Error);
      expect(() => decodeBundle(new Uint8Array([...bundle, 0]))).toThrow(Error);
    }),
  );
});

it('A bundle of an unknown version is refused', () => {
  const bundle = Buffer.from(encodeBundle([]));
  bundle.write('2', bundle.indexOf('1'));
  expect(() => decodeBundle(bundle)).toThrow(Error);
});
