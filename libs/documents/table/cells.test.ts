import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isNumericColumn, isQuantity } from './cells.ts';

describe('a quantity', () => {
  test.each([
    '0',
    '12',
    '-3.5',
    '+1',
    '1,234.50',
    '1.234,50',
    "1'234",
    '1 234,5',
    '12 %',
    '99.5%',
    '€ 12.00',
    '12,00 €',
    '$-5',
    '(120.00)',
    'EUR 5',
    '5 USD',
    '1e6',
    '−7',
    '0.25',
    '12,34,567.00',
    '5,00,000',
    '%12,5',
    '$US 5',
    'kr. 5',
    'Rp5.000',
    'Rs. 500',
    '١٢٣٤',
    '-٥٫٥',
    '१२,३४,५६७.५०',
    '۱۲٪',
  ])('is %s', (text) => {
    expect(isQuantity(text)).toBe(true);
  });

  test.each([
    '',
    'abc',
    '0042',
    '2024-01-31',
    '31.12.2024',
    '12:30',
    '+49 421 1234',
    '1-2',
    '12 pieces',
    'v1.2',
    '1.2.3',
    'true',
    '٠٠٤٢',
    '12,3,456',
    'R5',
    'R-5',
    'RM-5',
    'ABC-123',
    'A 5',
    'L. Kr',
    '5 km',
    'Fe 2',
  ])('is not "%s"', (text) => {
    expect(isQuantity(text)).toBe(false);
  });
});

const prices =
  'ar-AE AED,ar-EG EGP,ar-LB LBP,bg-BG BGN,bn-BD BDT,bs-BA BAM,cs-CZ CZK,da-DK DKK,de-AT EUR,de-CH CHF,de-DE EUR,' +
  'en CAD,en SEK,en-GB GBP,en-GH GHS,en-IN INR,en-KE KES,en-US USD,en-ZA ZAR,es-GT GTQ,es-MX MXN,es-PA PAB,es-PE PEN,' +
  'fa-IR IRR,fr USD,fr-CA CAD,fr-CM XAF,fr-DZ DZD,fr-FR EUR,fr-SN XOF,he-IL ILS,hi-IN INR,hu-HU HUF,hy-AM AMD,id-ID IDR,' +
  'is-IS ISK,ja-JP JPY,ka-GE GEL,kk-KZ KZT,ko-KR KRW,mk-MK MKD,mr-IN INR,ms-MY MYR,my-MM MMK,nb-NO NOK,ne-NP NPR,' +
  'nl-NL EUR,pl-PL PLN,pt-BR BRL,ro-MD MDL,ro-RO RON,ru-RU RUB,si-LK LKR,sq-AL ALL,sr-RS RSD,sv-SE SEK,th-TH THB,' +
  'tr-TR TRY,uk-UA UAH,ur-PK PKR,uz-UZ UZS,vi-VN VND,zh-CN CNY,zh-HK HKD';

test.each(prices.split(',').map((price) => price.split(' ') as [locale: string, currency: string]))(
  'a price, a number and a percentage in the language %s are quantities',
  (locale, currency) => {
    const formats = [
      new Intl.NumberFormat(locale, { style: 'currency', currency }),
      new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay: 'narrowSymbol' }),
      new Intl.NumberFormat(locale),
      new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }),
    ];
    fc.assert(
      fc.property(fc.double({ min: -1e9, max: 1e9, noNaN: true }), (value) => {
        const texts = formats.map((format) => format.format(value));
        expect(texts.filter((text) => !isQuantity(text))).toEqual([]);
      }),
      { examples: [[0], [-0.25], [1234567.5], [-12.345]] },
    );
  },
);

test('a column is numeric if all its filled cells are quantities', () => {
  expect(isNumericColumn(['1', '', null, '2.5'])).toBe(true);
  expect(isNumericColumn(['1', 'n/a'])).toBe(false);
  expect(isNumericColumn(['', null])).toBe(false);
});
