import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyse } from '../analyse.ts';
import { expansionError, expanded } from '../testing/expand-template.ts';

describe('uppercase and lowercase', () => {
  it('use the language', () => {
    expect(expanded('{{uppercase "straße"}} {{lowercase "ÀÉ"}}')).toBe('STRASSE àé');
    expect(expanded('{{uppercase "i"}}', {}, { locale: 'tr' })).toBe('İ');
  });

  it('reverse each other for plain words', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]*$/), (word) => {
        expect(expanded('{{lowercase (uppercase word)}}', { word })).toBe(word);
      }),
    );
  });
});

describe('truncate', () => {
  it('cuts a text at the same place, however much of it is read', () => {
    const letters = fc.array(
      fc.constantFrom(
        'a',
        'e\u0301',
        '\u0301',
        '👨‍👩‍👧',
        '👍🏽',
        '🏽',
        '🇦',
        '\r',
        '\n',
        '\u200d',
        '한',
        'ᄒ',
        'ᅡ',
        '\ud83c',
        ' ',
      ),
      { maxLength: 300 },
    );
    const cut = (x: string, length: number): string => {
      const parts = [...new Intl.Segmenter('und').segment(x)].map(({ segment }) => segment);
      return parts.length <= length ? x : `${parts.slice(0, length).join('').trimEnd()}…`;
    };
    fc.assert(
      fc.property(letters, fc.nat(20), (parts, length) => {
        expect(expanded('{{{truncate x length}}}', { x: parts.join(''), length })).toBe(cut(parts.join(''), length));
      }),
    );
  });

  it('shortens a longer text and adds an ellipsis', () => {
    expect(expanded('{{truncate x 1}}', { x: 'a\r' })).toBe('a…');
    expect(expanded('{{truncate "A long description" 6}}|{{truncate "short" 5}}|{{truncate 12345 2}}')).toBe(
      'A long…|short|12…',
    );
  });

  it('never cuts inside a character as a reader sees it', () => {
    expect(expanded('{{truncate x 2}}', { x: '👨‍👩‍👧e\u0301x' })).toBe('👨‍👩‍👧e\u0301…');
  });

  it('returns the beginning of the text, at most the length requested', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (x, length) => {
        const kept = expanded('{{{truncate x length}}}', { x, length });
        const isCut = kept !== x;
        expect(x.startsWith(isCut ? kept.slice(0, -1) : kept)).toBe(true);
        expect([...new Intl.Segmenter('und').segment(isCut ? kept.slice(0, -1) : kept)].length).toBeLessThanOrEqual(
          length,
        );
      }),
    );
  });

  it.each([-1, 1.5, '"3"', 'null'])('refuses %s as a length', (length) => {
    expect(expansionError(`{{truncate text ${length}}}`, { text: 'x' })).toMatchObject({
      name: 'template_render_error',
      extra: { variable: 'text' },
      message: expect.stringContaining('whole number'),
    });
  });
});

describe('json', () => {
  it('is safe in a script element within triple braces', () => {
    expect(expanded('<script>const x = {{{json x}}};</script>', { x: { a: '</script><!--' } })).toBe(
      String.raw`<script>const x = {"a":"\u003c/script\u003e\u003c!--"};</script>`,
    );
  });

  it('is escaped once, like any value, within double braces', () => {
    expect(expanded('{{json x}}', { x: ['<'] })).toBe('[&quot;&lt;&quot;]');
  });

  it('refuses values that JSON cannot represent', () => {
    expect(expansionError('{{json x}}', { x: { y: 1n } }).extra).toEqual({ variable: 'x', line: 1 });
  });

  it('returns JSON that parses to the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (x) => {
        expect(JSON.parse(expanded('{{{json x}}}', { x }))).toEqual(JSON.parse(JSON.stringify(x)));
      }),
    );
  });
});

describe('formatCurrency', () => {
  it.each([
    ['en', 'EUR', 1234.5, '€1,234.50'],
    ['de', 'EUR', 1234.5, '1.234,50 €'],
    ['fr', 'EUR', 1234.5, '1 234,50 €'],
    ['en', 'usd', -2, '-$2.00'],
    ['ja', 'JPY', 1234, '￥1,234'],
    ['ja', 'JPY', 1234.5, '￥1,235'],
    ['hu', 'HUF', 1234.5, '1234,50 Ft'],
    ['hu', 'HUF', 1234, '1234 Ft'],
    ['id', 'IDR', '12500.25', 'Rp 12.500,25'],
    ['es-CO', 'COP', 0.001, '$ 0'],
    ['en', 'EUR', -0.001, '€0.00'],
    ['en', 'EUR', '12345678901234567.89', '€12,345,678,901,234,567.89'],
  ])('in %s writes %s %s as %s', (locale, currency, x, expected) => {
    const spaced = expanded('{{formatCurrency x currency}}', { x, currency }, { locale }).replaceAll(/\s/g, ' ');
    expect(spaced).toBe(expected);
  });

  it.each([
    ['EUR', 0.2875, '€0.2875'],
    ['EUR', 12.5, '€12.50'],
    ['EUR', '0.1234567', '€0.123457'],
    ['JPY', 0.0375, '¥0.0375'],
    ['JPY', 1200, '¥1,200'],
    ['KWD', 1.5, 'KWD 1.500'],
  ])('with maxDecimals shows the decimals of a unit price in %s: %s', (currency, x, expected) => {
    const shown = expanded('{{formatCurrency x currency maxDecimals=6}}', { x, currency }).replaceAll(/\s/g, ' ');
    expect(shown).toBe(expected);
  });

  it('with fewer decimals than the currency has rounds to them', () => {
    expect(expanded('{{formatCurrency 1234.5 "EUR" maxDecimals=0}}')).toBe('€1,235');
  });

  it.each(['-1', '1.5', '21', '"2"', 'null'])('refuses %s as maxDecimals', (decimals) => {
    expect(expansionError(`{{formatCurrency total "EUR" maxDecimals=${decimals}}}`, { total: 1 })).toMatchObject({
      extra: { variable: 'total' },
      message: expect.stringContaining('maxDecimals'),
    });
  });

  it.each(['XXQ', 'EURO', '', 'E', '<b>'])('refuses "%s" as a currency and names the variable', (currency) => {
    expect(expansionError('{{formatCurrency total currency}}', { total: 1, currency })).toMatchObject({
      name: 'template_render_error',
      extra: { variable: 'currency', line: 1 },
      message: expect.stringContaining('ISO 4217'),
    });
    expect(expansionError(`{{formatCurrency total "${currency}"}}`, { total: 1 }).extra).toMatchObject({
      variable: 'total',
    });
  });

  it.each([['twelve'], ['1,5'], [''], [true], [[1]], [{}], ['1e999']])('refuses %j as an amount', (total) => {
    expect(expansionError('{{formatCurrency total "EUR"}}', { total })).toMatchObject({
      extra: { variable: 'total' },
      message: expect.stringContaining('amount'),
    });
  });
});

describe('formatDate', () => {
  it.each([
    ['2026-03-31', 'DD/MM/YYYY', 'en', 'UTC', '31/03/2026'],
    ['2026-03-31', 'DD/MM/YYYY', 'en', 'America/New_York', '31/03/2026'],
    ['2026-03-31T23:30:00Z', 'DD/MM/YYYY HH:mm', 'en', 'UTC', '31/03/2026 23:30'],
    ['2026-03-31T23:30:00Z', 'DD/MM/YYYY HH:mm', 'en', 'Europe/Vienna', '01/04/2026 01:30'],
    ['2026-01-31T23:30:00+01:00', 'DD/MM/YYYY HH:mm', 'en', 'Europe/Vienna', '31/01/2026 23:30'],
    ['2026-03-31T23:30:00', 'DD/MM/YYYY HH:mm', 'en', 'Europe/Vienna', '31/03/2026 23:30'],
    ['2026-03-05', 'dddd, D. MMMM YYYY', 'de-AT', 'UTC', 'Donnerstag, 5. März 2026'],
    ['2026-03-05', 'D MMMM YYYY', 'pt-BR', 'UTC', '5 março 2026'],
    ['2026-03-05', 'D MMMM', 'nb-NO', 'UTC', '5 mars'],
    ['2026-03-05', 'D MMMM', 'la', 'UTC', '5 March'],
    ['2026-03-05', 'LL', 'cs', 'UTC', '5. března 2026'],
    ['2026-03-05', 'MMMM YYYY', 'cs-CZ', 'UTC', 'březen 2026'],
    ['2026-03-05', 'D MMMM YYYY', 'el', 'UTC', '5 Μαρτίου 2026'],
    ['2026-03-05', 'Do MMMM', 'sk', 'UTC', '5. marca'],
    ['2026-03-05', 'D. MMMM, MMM', 'fi', 'UTC', '5. maaliskuuta, maalis'],
    ['2026-03-05', 'LL', 'fi', 'UTC', '5. maaliskuuta 2026'],
    ['2026-03-05', 'LL', 'hr', 'UTC', '5. ožujka 2026'],
    ['2026-03-05', 'D MMMM', 'ru', 'UTC', '5 марта'],
    ['2026-05-01', 'D. MMMM', 'ru', 'UTC', '1. мая'],
    ['2026-05-01', 'DD. MMMM', 'uk', 'UTC', '01. травня'],
    ['2026-05-01', 'Do MMMM', 'pl', 'UTC', '1. maja'],
    ['2026-05-01', 'MMMM YYYY', 'pl', 'UTC', 'maj 2026'],
    ['2026-05-01', 'LL', 'lt', 'UTC', '2026 m. gegužės 1 d.'],
    ['2026-05-01', 'D. MMMM', 'lt', 'UTC', '1. gegužės'],
    ['2026-05-01', 'MMMM', 'be', 'UTC', 'май'],
    ['2026-05-01', 'MMMM YYYY', 'el-GR', 'UTC', 'Μάιος 2026'],
    ['2026-05-01', 'MMMM YYYY', 'el', 'UTC', 'Μάιος 2026'],
    ['2026-05-01', 'D [dnia] MMMM', 'pl', 'UTC', '1 dnia maja'],
    ['2026-03-05', 'D MMMM', 'hy', 'UTC', '5 մարտի'],
    ['2026-03-05', 'D MMMM', 'fil', 'UTC', '5 Marso'],
    ['2026-03-05', 'D MMMM', 'pa', 'UTC', '5 ਮਾਰਚ'],
    ['2026-03-05', 'D MMMM', 'sr', 'UTC', '5 Март'],
    ['2026-03-05', 'D MMMM', 'sr-Latn-RS', 'UTC', '5 Mart'],
    ['2026-03-05', 'D MMMM', 'uz', 'UTC', '5 Mart'],
    ['2026-03-05', 'D MMMM', 'zh-Hant-MO', 'UTC', '5 三月'],
    ['2026-03-05', 'D MMMM, dddd', 'zu', 'UTC', '5 Mashi, ULwesine'],
    ['2026-03-05', 'D MMMM', 'ku', 'UTC', '5 adar'],
    ['2026-03-05', 'D MMMM', 'ckb', 'UTC', '5 ئادار'],
    ['2026-03-06', 'D MMMM', 'ku', 'UTC', '6 adar'],
    ['2026-03-05', 'D MMMM', 'ps', 'UTC', '5 مارچ'],
    ['1965-05-05T10:00:00.001Z', 'HH:mm:ss.SSS Z', 'en', 'Europe/Vienna', '11:00:00.001 +01:00'],
    ['1960-05-05T10:00:00.001Z', 'HH:mm ZZ z', 'en', 'Asia/Kolkata', '15:30 +0530 GMT+5:30'],
    ['0001-01-01T00:00:00Z', 'DD.MM.YYYY HH:mm:ss Z', 'en', 'Europe/Vienna', '01.01.0001 01:05:21 +01:05:21'],
    ['2026-07-01T10:00:00Z', 'X x', 'en', 'Europe/Vienna', '1782900000 1782900000000'],
    ['2026-10-25T00:30:00Z', '[Z] HH:mm Z', 'en', 'Europe/Vienna', 'Z 02:30 +02:00'],
    ['2026-03-05T12:15', 'hh:mm A', 'ar', 'UTC', '12:15 م'],
    ['2026-03-05T12:59', 'hh:mm A', 'ar-SA', 'UTC', '12:59 م'],
    ['2026-03-05T00:15', 'hh:mm A', 'ar', 'UTC', '12:15 ص'],
    ['2026-03-05T12:15', 'A', 'km', 'UTC', 'ល្ងាច'],
    ['2026-03-05T12:15', 'A', 'zh-CN', 'UTC', '中午'],
    ['2026-03-03', 'MMMM Do, YYYY [at] h A', 'en', 'UTC', 'March 3rd, 2026 at 12 AM'],
    ['2026-03-05', 'LL', 'en', 'UTC', 'March 5, 2026'],
    ['2027-01-01', '[W]WW GGGG, w gggg', 'en', 'UTC', 'W53 2026, 1 2027'],
    ['2026-03-05T12:00:00Z', 'HH:mm z', 'en', 'Europe/Vienna', '13:00 GMT+1'],
  ])('writes %s as %s in %s, %s: %s', (x, format, locale, timeZone, expected) => {
    expect(expanded(`{{formatDate x "${format}"}}`, { x }, { locale, timeZone })).toBe(expected);
  });

  it('writes a plain date as the same date in every time zone', () => {
    const day = fc
      .date({ min: new Date('1900-01-01'), max: new Date('2199-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10));
    fc.assert(
      fc.property(
        day,
        fc.constantFrom('UTC', 'Pacific/Kiritimati', 'America/Los_Angeles', 'Asia/Kolkata'),
        (x, timeZone) => {
          expect(expanded('{{formatDate x "YYYY-MM-DD"}}', { x }, { timeZone })).toBe(x);
        },
      ),
    );
  });

  it.each([
    '2026-03-31T14:30:00',
    '2026-03-31T14:30',
    '2026-03-31T14:30Z',
    '2026-03-31T14:30+00',
    '2026-03-31T16:30+02:00',
    '2026-03-31T16:30:00+0200',
    '2026-03-31T16:30:00.000+02',
    '2026-03-31T10:00-04:30',
  ])('reads %s, in any form of ISO 8601', (x) => {
    expect(expanded('{{formatDate x "YYYY-MM-DD HH:mm:ss"}}', { x })).toBe('2026-03-31 14:30:00');
  });

  it.each([
    ['2026-02-30'],
    ['2026-03-31T24:30Z'],
    ['2026-03-31T10:00+25'],
    ['2026-03-31T10:0Z'],
    ['31/03/2026'],
    ['tomorrow'],
    [''],
    [1_774_900_000_000],
    [true],
    [{}],
    [['2026-03-31']],
  ])('refuses %j and names the variable', (due) => {
    expect(expansionError('\n{{formatDate due "DD/MM/YYYY"}}', { due })).toMatchObject({
      name: 'template_render_error',
      extra: { variable: 'due', line: 2 },
      message: expect.stringContaining('ISO 8601'),
    });
  });

  it.each([
    ['yyyy-MM-dd', '"yyyy" in the format given to formatDate is not allowed (did you mean "YYYY"?)'],
    ['dd/MM/YYYY', '"dd" in the format given to formatDate is not allowed (did you mean "DD"?)'],
    ['foo', '"f" in the format given to formatDate is not allowed; allowed are short, medium, long, full, time'],
    ['DDDD', '"DDDD" in the format'],
    ['D de MMMM', '"d" in the format'],
    ['[of', '"o" in the format'],
    ['', '"" in the format'],
  ])('refuses the format "%s" when a template is stored, and in the data', (format, message) => {
    const content = `\n{{formatDate due "${format}"}}`;
    expect(analyse(content, []).errors).toEqual([
      { type: 'syntax_error', line: 2, message: expect.stringContaining(message) },
    ]);
    expect(expansionError('{{formatDate due format}}', { due: '2026-03-31', format })).toMatchObject({
      name: 'template_render_error',
      extra: { variable: 'format' },
      message: expect.stringContaining(message),
    });
  });

  it.each([
    ['YYYY年M月D日', '2026年3月5日'],
    ['YYYYMMDDTHHmmss.SSSZ', '20260305T120000.000+00:00'],
    ['wo GGGG-[W]WW', '10th 2026-W10'],
    ['dddd [the] Do', 'Thursday the 5th'],
    ['LT, LTS; LLLL', '12:00 PM, 12:00:00 PM; Thursday, March 5, 2026 12:00 PM'],
  ])('accepts the format "%s"', (format, expected) => {
    expect(expanded(`{{formatDate x "${format}"}}`, { x: '2026-03-05T12:00:00Z' })).toBe(expected);
  });

  it('refuses a format that is not text or is very long', () => {
    expect(
      expansionError('{{formatDate due format}}', { due: '2026-03-31', format: 'D'.repeat(101) }).extra,
    ).toMatchObject({ variable: 'format' });
    expect(expansionError('{{formatDate due format}}', { due: '2026-03-31', format: 5 }).extra).toMatchObject({
      variable: 'format',
    });
  });
});

describe('formatDate with a named format', () => {
  it.each([
    ['en', 'short', '03/31/2026'],
    ['en-GB', 'short', '31/03/2026'],
    ['de', 'short', '31.03.2026'],
    ['de', 'long', '31. März 2026'],
    ['fr', 'long', '31 mars 2026'],
    ['nl', 'short', '31-03-2026'],
    ['pl', 'long', '31 marca 2026'],
    ['es', 'full', 'martes, 31 de marzo de 2026'],
    ['it', 'medium', '31 mar 2026'],
    ['de', 'time', '16:30'],
    ['tlh', 'long', 'March 31, 2026'],
  ])('in %s writes the %s date as %s', (locale, format, expected) => {
    const options = { locale, timeZone: 'Europe/Vienna' };
    expect(expanded(`{{formatDate x "${format}"}}`, { x: '2026-03-31T14:30:00Z' }, options)).toBe(expected);
  });

  it('does not move a plain date to the time zone', () => {
    expect(expanded('{{formatDate x "short"}}', { x: '2026-03-31' }, { timeZone: 'America/New_York' })).toBe(
      '03/31/2026',
    );
  });
});

describe('formatNumber', () => {
  it.each([
    ['en', '1234567.891', '1,234,567.891'],
    ['de', '1234567.891', '1.234.567,891'],
    ['de', '1234567.891 2', '1.234.567,89'],
    ['de', '"12345678901234567890.5" 2', '12.345.678.901.234.567.890,50'],
    ['pl', '21.5', '21,5'],
    ['en', '-0.001 1', '0.0'],
    ['en', 'null', ''],
  ])('in %s writes %s as %s', (locale, call, expected) => {
    expect(expanded(`{{formatNumber ${call}}}`, {}, { locale })).toBe(expected);
  });

  it('refuses what is not a number, and a wrong number of decimals', () => {
    for (const call of ['x', '5 x', '5 -1', '5 1.5', '5 21'])
      expect(expansionError(`{{formatNumber ${call}}}`, { x: 'many' }).name).toBe('template_render_error');
    expect(expansionError('{{formatNumber x}}', { x: 'many' }).extra).toMatchObject({ variable: 'x' });
  });
});
