import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparePages, type PageImage } from './page-diff.ts';

const image = (width: number, height: number, grey: number): PageImage => ({
  width,
  height,
  data: new Uint8ClampedArray(width * height * 4).fill(grey),
});
const images = fc
  .tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 }))
  .chain(([width, height]) =>
    fc
      .uint8Array({ minLength: width * height * 4, maxLength: width * height * 4 })
      .map((data): PageImage => ({ width, height, data: new Uint8ClampedArray(data) })),
  );

describe('The difference of two pages', () => {
  it('is nothing between a page and itself', () => {
    fc.assert(
      fc.property(images, (page) => {
        expect(comparePages(page, page).share).toBe(0);
      }),
    );
  });

  it('is the same share in both directions, from 0 to 1', () => {
    fc.assert(
      fc.property(images, images, (one, other) => {
        const { share } = comparePages(one, other);
        expect(share).toBe(comparePages(other, one).share);
        expect(share).toBeGreaterThanOrEqual(0);
        expect(share).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('marks exactly the changed pixels', () => {
    const [older, newer] = [image(2, 2, 255), image(2, 2, 255)];
    newer.data.set([0, 0, 0, 255], 4);
    const { share, marked } = comparePages(older, newer);
    expect(share).toBe(0.25);
    expect([...marked.data.slice(4, 8)]).toEqual([214, 40, 120, 255]);
    expect([...marked.data.slice(0, 4)]).toEqual([255, 255, 255, 255]);
  });

  it('counts what only one page has, unless it is white', () => {
    expect(comparePages(image(2, 2, 255), image(2, 4, 255)).share).toBe(0);
    expect(comparePages(image(2, 2, 0), image(2, 4, 0)).share).toBe(0.5);
  });
});
