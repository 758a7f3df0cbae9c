import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import { orientations, pageSizes, renderOptions } from '#contracts/http/render-options.ts';
import { effectiveMargins, noHeaderFooterTemplates, printParameters, sheetSize } from './parameters.ts';

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
const anyBands = fc.record({
  header: fc.constant('h'),
  footer: fc.constant('f'),
  headerHeight: fc.nat(100),
  footerHeight: fc.nat(100),
});

test('a margin is never lower than asked for, nor than the band in it', () => {
  fc.assert(
    fc.property(anyOptions, anyBands, (options, bands) => {
      const { top, bottom } = effectiveMargins(options, bands);
      expect(top).toBe(Math.max(options.margin_top, bands.headerHeight));
      expect(bottom).toBe(Math.max(options.margin_bottom, bands.footerHeight));
    }),
  );
});

test('either there is room for the text, or the request fails with the measures', () => {
  fc.assert(
    fc.property(anyOptions, anyBands, (options, bands) => {
      const [sheet, { top, bottom, left, right }] = [sheetSize(options), effectiveMargins(options, bands)];
      const room = Math.min(sheet.height - top - bottom, sheet.width - left - right);
      const outcome = () => {
        try {
          return printParameters(options, bands).paperHeight;
        } catch (error) {
          return error instanceof ApiError ? error.fields.name : error;
        }
      };
      expect(outcome()).toBe(room >= 5 ? sheet.height / 25.4 : 'conversion_failed');
    }),
  );
});

test('landscape is the same sheet, turned', () => {
  for (const page_size of pageSizes) {
    const [upright, turned] = orientations.map((orientation) =>
      sheetSize(renderOptions.parse({ page_size, orientation })),
    );
    expect(turned).toEqual({ width: upright!.height, height: upright!.width });
  }
});

test('a document without bands is printed without the browser’s own header and footer', () => {
  expect(printParameters(renderOptions.parse({}), noHeaderFooterTemplates)).toMatchObject({
    displayHeaderFooter: false,
  });
});
