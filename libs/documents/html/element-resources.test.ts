import { expect, test } from 'vitest';
import { unlimitedBudget } from '../budget.ts';
import { findElementResources, parseSrcset } from './element-resources.ts';

test.each([
  ['a.png', ['a.png']],
  ['a.png 1x, b.png 2x', ['a.png', 'b.png']],
  ['a.png,b.png 2x', ['a.png,b.png']],
  ['a.png, b.png', ['a.png', 'b.png']],
  ['data:image/png;base64,AA== 1x,\n b.png 200w', ['data:image/png;base64,AA==', 'b.png']],
  [' , ', []],
])('the URLs of srcset "%s" are separated', (srcset, urls) => {
  expect(parseSrcset(srcset).map(({ url }) => url)).toEqual(urls);
});

test.each(['body', 'table', 'tbody', 'tr', 'td'])('the background of %s is an image', (tagName) => {
  const attributes = [{ name: 'background', value: 'https://example.com/a.png' }];
  const resources = { external: true, images: ['https://example.com/a.png'] };
  expect(findElementResources(tagName, attributes, unlimitedBudget)).toEqual(resources);
});
