import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import { pageSizes } from '#contracts/http/page-sizes.ts';
import { orientations, renderOptions } from '#contracts/http/render-options.ts';
import { sheetSize } from './page-geometry.ts';
import { effectiveMargins, noHeaderFooterTemplates, printParameters } from './parameters.ts';

const anyOptions = fc
  .record({
    page_size: fc.constantFrom(...pageSizes),
    orientation: fc.constantFrom(...orientations),
    margin_top: fc.nat(100),
    margin_bottom: fc.nat(100),
    margin_left: fc.nat(100),
    margin_right: fc.nat(100),
  })
  .map((options) => renderOptions.parse(options));
const anyTemplates = fc.record({
  header: fc.constant('h'),
  warnings: fc.constant([]),
  footer: fc.constant('f'),
  headerHeight: fc.nat(100),
  footerHeight: fc.nat(100),
});

test('a margin is never smaller than requested, nor smaller than the header or footer in it', () => {
  fc.assert(
    fc.property(anyOptions, anyTemplates, (options, templates) => {
      const { top, bottom } = effectiveMargins(options, templates);
      expect(top).toBe(Math.max(options.margin_top, templates.headerHeight));
      expect(bottom).toBe(Math.max(options.margin_bottom, templates.footerHeight));
    }),
  );
});

test('a print request has room for the text or fails with the dimensions', () => {
  fc.assert(
    fc.property(anyOptions, anyTemplates, (options, templates) => {
      const [sheet, { top, bottom, left, right }] = [sheetSize(options), effectiveMargins(options, templates)];
      const space = Math.min(sheet.height - top - bottom, sheet.width - left - right);
      const outcome = () => {
        try {
          return printParameters(options, templates).paperHeight;
        } catch (error) {
          return error instanceof ApiError ? error.fields.name : error;
        }
      };
      expect(outcome()).toBe(space >= 5 ? sheet.height / 25.4 : 'conversion_failed');
    }),
  );
});

test('landscape is the same page size, rotated', () => {
  for (const page_size of pageSizes) {
    const [upright, turned] = orientations.map((orientation) =>
      sheetSize(renderOptions.parse({ page_size, orientation })),
    );
    expect(turned).toEqual({ width: upright!.height, height: upright!.width });
  }
});

test('a document without header and footer is printed without the browser’s own', () => {
  expect(printParameters(renderOptions.parse({}), noHeaderFooterTemplates)).toMatchObject({
    displayHeaderFooter: false,
  });
});
