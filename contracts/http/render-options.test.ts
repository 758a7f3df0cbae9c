import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toMillimetres } from './lengths.ts';
import { parsePageRanges } from './page-ranges.ts';
import { pageSizes } from './page-sizes.ts';
import { mergeRenderOptions, namedRenderOptions, renderOptions, withConsistentPage } from './render-options.ts';

const consistent = withConsistentPage(namedRenderOptions);
const messagesOf = (options: unknown) => consistent.safeParse(options).error?.issues.map(({ message }) => message);
const pathsOf = (options: unknown) => consistent.safeParse(options).error?.issues.map(({ path }) => path.join('.'));

describe('A length', () => {
  it.each([
    ['210mm', 210],
    ['15cm', 150],
    ['8.5in', 215.9],
    ['600px', 158.75],
    ['72pt', 25.4],
    ['6PC', 25.4],
    ['40q', 10],
    ['40 Q', 10],
    ['.5in', 12.7],
    [12.5, 12.5],
  ])('%j is %d mm', (text, millimetres) => {
    expect(toMillimetres(text)).toBe(millimetres);
    expect(renderOptions.parse({ width: 100, height: text }).height).toBe(millimetres);
  });

  it.each([
    '',
    '10',
    'mm',
    '1e3mm',
    '-5mm',
    '+5mm',
    '10em',
    '10%',
    '1,5cm',
    '10mm 10mm',
    'auto',
    '１０mm',
    `${'1'.repeat(40)}mm`,
  ])('%j is rejected with what is allowed', (text) => {
    expect(messagesOf({ margin_top: text })?.length).toBeGreaterThan(0);
    expect(pathsOf({ margin_top: text })).toContain('margin_top');
  });

  it('in any unit is within the same bounds as one in millimetres', () => {
    const units = { mm: 1, cm: 10, in: 25.4, px: 25.4 / 96, pt: 25.4 / 72, pc: 25.4 / 6, q: 0.25 };
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.entries(units)),
        fc.double({ min: 0, max: 120, noNaN: true }),
        ([unit, size], millimetres) => {
          fc.pre(Math.abs(millimetres - 100) > 0.001);
          const text = `${(millimetres / size).toFixed(6)}${unit}`;
          expect(toMillimetres(text)).toBeCloseTo(millimetres, 3);
          expect(consistent.safeParse({ margin_left: text }).success).toBe(millimetres < 100);
        },
      ),
    );
  });

  it('of a page is 10 mm to 5 m', () => {
    expect(messagesOf({ width: '9mm', height: '6m' })).toHaveLength(2);
    expect(messagesOf({ width: '0.9cm', height: '5001mm' })).toEqual([
      'must be 10 to 5000 mm long',
      'must be 10 to 5000 mm long',
    ]);
    expect(messagesOf({ width: '1cm', height: 5000 })).toBeUndefined();
  });
});

describe('Page ranges', () => {
  it.each(['1', '1-3, 5, 8-', ' 2 - 4 ,7', '-3', '999999-'])('%j are accepted', (page_ranges) => {
    expect(consistent.parse({ page_ranges })).toEqual({ page_ranges });
  });

  it.each(['', ',', '1,', '0', '0-2', '3-1', '-0', '1--2', 'all', '1;2', '1-2-3', '-', '1234567', '1,'.repeat(200)])(
    '%j are rejected',
    (page_ranges) => {
      expect(pathsOf({ page_ranges })).toContain('page_ranges');
    },
  );

  it('are read as they are written', () => {
    const anyRange = fc.record({ first: fc.integer({ min: 1, max: 999 }), length: fc.option(fc.nat(99)) });
    fc.assert(
      fc.property(fc.array(anyRange, { minLength: 1, maxLength: 9 }), (ranges) => {
        const written = ranges.map(({ first, length }) =>
          length === null ? `${first}-` : `${first}-${first + length}`,
        );
        expect(consistent.safeParse({ page_ranges: written.join(', ') }).success).toBe(true);
        expect(parsePageRanges(written.join(', '))).toEqual(
          ranges.map(({ first, length }) => ({ first, last: length === null ? Infinity : first + length })),
        );
      }),
    );
  });
});

describe('A text that is much too long', () => {
  it.each([
    ['page_ranges', `1-${' '.repeat(60_000)}x`],
    ['locale', `de${Array.from({ length: 30_000 }, (_, index) => `-a${index + 10_000}`).join('')}`],
    ['time_zone', 'Europe/'.repeat(30_000)],
  ])(
    'is rejected at once: %s',
    (field, text) => {
      expect(pathsOf({ [field]: text })).toEqual([field]);
    },
    2_000,
  );
});

describe('A header', () => {
  it('is rejected with all of its wrong placeholders, each once', () => {
    expect(messagesOf({ header_html: '{{pageNumber}} {{pageNumber}}\n{{page}} {{count}}' })).toEqual([
      expect.stringContaining('{{pageNumber}} (line 1)'),
      expect.stringContaining('{{count}} (line 2)'),
    ]);
    expect(messagesOf({ header_html: '{{x}}\n'.repeat(1000) })).toHaveLength(10);
    expect(messagesOf({ header_html: '{{'.repeat(30_000) })).toHaveLength(1);
  });
});

describe('The page size', () => {
  it('is accepted in any letter case and has its usual name', () => {
    fc.assert(
      fc.property(fc.constantFrom(...pageSizes), fc.func(fc.boolean()), (name, isUpper) => {
        const written = [...name].map((letter, at) => (isUpper(at) ? letter.toUpperCase() : letter.toLowerCase()));
        expect(consistent.parse({ page_size: written.join('') })).toEqual({ page_size: name });
      }),
    );
    expect(pathsOf({ page_size: 'A11' })).toEqual(['page_size']);
    expect(pathsOf({ page_size: 4 })).toEqual(['page_size']);
  });

  it('is a name, or width and height together', () => {
    expect(pathsOf({ width: 100 })).toEqual(['width']);
    expect(pathsOf({ height: 100 })).toEqual(['height']);
    expect(messagesOf({ page_size: 'A4', width: 100, height: 100 })).toEqual([
      'must not be sent together with page_size: send page_size, or width and height',
    ]);
    expect(messagesOf({ width: 100, height: 100 })).toBeUndefined();
  });

  it('of a request replaces width and height of the template, and the other way round', () => {
    const template = { width: 100, height: '10cm', margin_top: 5 };
    expect(mergeRenderOptions(template, { page_size: 'A5', scale: 2 })).toEqual({
      page_size: 'A5',
      margin_top: 5,
      scale: 2,
    });
    expect(mergeRenderOptions(template, { width: 50, height: 60 })).toEqual({ width: 50, height: 60, margin_top: 5 });
    expect(mergeRenderOptions({ page_size: 'A3' }, { width: 50, height: 60 })).toEqual({ width: 50, height: 60 });
    expect(mergeRenderOptions(template, { page_size: undefined, margin_top: 7 })).toEqual({
      ...template,
      margin_top: 7,
    });
  });
});

describe('The @page rules of the document', () => {
  const cssPage = (options: object) => renderOptions.parse({ prefer_css_page_size: true, ...options }).css_page;

  it('decide what neither the request nor the template names', () => {
    expect(cssPage({})).toEqual({ size: true, margins: ['top', 'bottom', 'left', 'right'] });
    expect(cssPage({ margin_top: 20, page_size: 'A4' })).toEqual({ size: false, margins: ['bottom', 'left', 'right'] });
    expect(cssPage({ width: 100, height: 100 })).toMatchObject({ size: false });
    expect(cssPage({ orientation: 'portrait' })).toMatchObject({ size: false });
  });

  it('decide nothing without prefer_css_page_size', () => {
    expect(renderOptions.parse({}).css_page).toBeUndefined();
    expect(renderOptions.parse({ prefer_css_page_size: false }).css_page).toBeUndefined();
  });
});

it('the defaults are those that recorded renders rely on', () => {
  expect(renderOptions.parse({})).toEqual({
    docx_layout: 'faithful',
    one_page_per_sheet: false,
    page_size: 'A4',
    orientation: 'portrait',
    margin_top: 20,
    margin_bottom: 20,
    margin_left: 15,
    margin_right: 15,
    prefer_css_page_size: false,
    header_html: null,
    footer_html: null,
    header_height: 10,
    footer_height: 10,
    print_background: true,
    scale: 1,
    wait_for: 'load',
    wait_time: 0,
    emulate_media: 'print',
    tagged: false,
    outline: false,
    output: 'pdf',
    dpi: 150,
    quality: 85,
    transparent: false,
  });
});
