import { describe, expect, it } from 'vitest';
import { templateLabels } from '#contracts/http/template-labels.ts';
import { analyse } from './analyse.ts';
import { directionOf, labelsFor } from './labels.ts';
import { expanded, expansionError } from './testing/expand-template.ts';

const labels = {
  en: { total: 'Total', pay: 'Please pay {amount} by {date}.', only_english: 'Notes' },
  de: { total: 'Gesamtbetrag', pay: 'Bitte zahlen Sie {amount} bis {date}.' },
  'de-CH': { total: 'Totalbetrag' },
  'zh-Hant': { total: '總計' },
  zh: { total: '总计' },
};
const shown = (content: string, locale: string, data: unknown = {}) =>
  expanded(content, data, { locale, labels: labelsFor(labels, locale) });

describe('a label', () => {
  it.each([
    ['en', 'Total'],
    ['en-GB', 'Total'],
    ['de', 'Gesamtbetrag'],
    ['de-AT', 'Gesamtbetrag'],
    ['de-CH', 'Totalbetrag'],
    ['zh-TW', '總計'],
    ['zh-CN', '总计'],
    ['fr', 'Total'],
  ])('in %s is %s', (locale, text) => {
    expect(shown('{{label "total"}}', locale)).toBe(text);
  });

  it('that the language lacks is English, or in the first language if there is no English', () => {
    expect(shown('{{label "only_english"}}', 'de-CH')).toBe('Notes');
    expect(labelsFor({ sv: { total: 'Summa' }, da: {} }, 'da')).toEqual({ total: 'Summa' });
  });

  it('has its named arguments filled in and escaped', () => {
    const content = '{{label "pay" amount=(formatCurrency total "EUR") date=due}}';
    expect(shown(content, 'de', { total: 5, due: '<b>' }).replaceAll(/\s/g, ' ')).toBe(
      'Bitte zahlen Sie 5,00 € bis &lt;b&gt;.',
    );
    expect(shown('{{label "pay"}}', 'en')).toBe('Please pay {amount} by {date}.');
  });

  it.each(['größe', 'page-count', '数量', 'a1', '[two words]'])('can have an argument with the name %s', (name) => {
    const text = `{{x}} {${name.replaceAll(/[[\]]/g, '')}} {y}`;
    expect(expanded(`{{label "size" ${name}=a}}`, { a: 5 }, { labels: { size: text } })).toBe('{{x}} 5 {y}');
  });

  it('keeps the order of its arguments in a text from right to left', () => {
    const arabic = { en: { number: 'No. {number}' }, ar: { number: 'رقم {number}' } };
    const expandedIn = (locale: string) =>
      expanded('{{label "number" number="2026-1"}}', {}, { locale, labels: labelsFor(arabic, locale) });
    expect([expandedIn('ar'), expandedIn('de')]).toEqual(['رقم \u20682026-1\u2069', 'No. 2026-1']);
  });

  it('can be named by the data', () => {
    expect(shown('{{label kind}}', 'de', { kind: 'total' })).toBe('Gesamtbetrag');
    for (const kind of ['constructor', '__proto__', 'gone', 5])
      expect(expansionError('{{label kind}}', { kind }, { labels: labels.en }).extra).toMatchObject({
        variable: 'kind',
      });
    expect(expansionError('{{label "pay" amount=gone}}', {}, { labels: labels.en }).extra).toMatchObject({
      missing_variable: 'gone',
    });
  });

  it('does not take the name label away from the data', () => {
    expect(
      shown('{{label}} {{#each taxes}}{{label}} {{label "total"}}{{/each}}', 'de', {
        label: 'a',
        taxes: [{ label: 'b' }],
      }),
    ).toBe('a b Gesamtbetrag');
  });

  it('that the fallback language does not have is found before a render', () => {
    const content = '{{label "total"}}\n{{#if (label "gone")}}{{/if}}{{label "gone"}}';
    expect(analyse(content, [], labels).errors).toMatchObject([{ type: 'missing_label', line: 2, label: 'gone' }]);
    expect(analyse(content, []).errors).toMatchObject([{ label: 'total' }, { label: 'gone' }]);
  });
});

describe('the document variables', () => {
  it('are the locale and the direction of its script', () => {
    const content = '<html lang="{{@locale}}" dir="{{@dir}}">{{#each x}}{{@dir}}{{/each}}';
    expect(expanded(content, { x: [1] }, { locale: 'ar-EG' })).toBe('<html lang="ar-EG" dir="rtl">rtl');
    expect(['he', 'fa', 'ur', 'de', 'ja', 'az-Arab'].map(directionOf)).toEqual([
      'rtl',
      'rtl',
      'rtl',
      'ltr',
      'ltr',
      'rtl',
    ]);
  });
});

describe('the labels of a template', () => {
  const tooMany = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`l${at}`, 'x']));
  it.each([
    ['an unknown language', { xx: { a: 'x' } }],
    ['a name that is no word', { en: { 'a b': 'x' } }],
    ['a text that is no text', { en: { a: 5 } }],
    ['a text of 1,001 characters', { en: { a: 'x'.repeat(1001) } }],
    ['201 labels', { en: tooMany(201) }],
    ['41 languages', Object.fromEntries(Array.from({ length: 41 }, (_, at) => [`en-x-${at}`, {}]))],
    [
      'more than 65,536 characters',
      { en: Object.fromEntries(Object.keys(tooMany(70)).map((name) => [name, 'x'.repeat(1000)])) },
    ],
  ])('may not have %s', (_, value) => {
    expect(templateLabels.safeParse(value).success).toBe(false);
  });

  it('have canonical language tags', () => {
    expect(templateLabels.parse({ 'DE-at': { a: 'x' } })).toEqual({ 'de-AT': { a: 'x' } });
  });
});

it('A label that repeats a long value ends the expansion before the texts are joined', () => {
  const options = { labels: { repeated: '{value}'.repeat(140) } };
  const { name, message } = expansionError('{{label "repeated" value=text}}', { text: 'x'.repeat(4_000_000) }, options);
  expect(name).toBe('template_render_error');
  expect(message).toContain('steps');
});
