import { describe, expect, it } from 'vitest';
import { accountDefaultsFor, pdfRetentionMinutes } from './render-settings.ts';

describe('A kept PDF', () => {
  it('is stored for an hour, or as long as the account chose, within the limit of the operator', () => {
    expect(pdfRetentionMinutes(undefined, 10_080)).toBe(60);
    expect(pdfRetentionMinutes({ pdfRetentionMinutes: null }, 10_080)).toBe(60);
    expect(pdfRetentionMinutes({ pdfRetentionMinutes: 1440 }, 10_080)).toBe(1440);
    expect(pdfRetentionMinutes({ pdfRetentionMinutes: 1440 }, 120)).toBe(120);
    expect(pdfRetentionMinutes(undefined, 30)).toBe(30);
  });
});

describe('The locale and time zone of the account', () => {
  const settings = { locale: 'de', timeZone: 'Europe/Vienna', pdfRetentionMinutes: null };

  it('apply where the options name none', () => {
    expect(accountDefaultsFor({ settings }, {})).toEqual({ locale: 'de', timeZone: 'Europe/Vienna' });
    expect(accountDefaultsFor({ settings }, { locale: 'fr' })).toEqual({ timeZone: 'Europe/Vienna' });
    expect(accountDefaultsFor({ settings }, { locale: 'fr', time_zone: 'UTC' })).toBeUndefined();
    expect(accountDefaultsFor({}, {})).toBeUndefined();
  });
});
