import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withEcho, withoutEcho } from './answer.ts';

test('a text that goes through unchanged is not sent back, and comes out the same', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }).filter((text) => !text.startsWith('\ufeff')), fc.boolean(), (html, mark) => {
      const data = Buffer.from(`${mark ? '\ufeff' : ''}${html}`);
      const sent = withoutEcho({ html, external: false }, data);
      expect(sent.html).toBeNull();
      expect(withEcho(sent, data)).toEqual({ html, external: false });
    }),
  );
});

test('a text that was changed is sent back', () => {
  expect(withoutEcho({ html: 'abd' }, Buffer.from('abc'))).toEqual({ html: 'abd' });
  expect(withoutEcho({ html: '<p>' }, Buffer.from('PHA+'))).toEqual({ html: '<p>' });
});
