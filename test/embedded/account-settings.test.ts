import { beforeAll, describe, expect, it } from 'vitest';
import { issueKey, openAccount } from '../support/service/accounts.ts';
import { type ApiClient, createClient, type RenderResult } from '../support/client/api-client.ts';
import { createTemplateClient, type TemplateClient } from '../support/client/template-client.ts';
import { readPdf, withoutDates } from '../support/documents/read-pdf.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
let templates: TemplateClient;
let template: string;

beforeAll(async () => {
  const account = await openAccount(at.installation);
  caller = createClient(at.service.url, (await issueKey(at.installation, account)).key);
  templates = createTemplateClient(caller);
  const content = '<p>{{@locale}} {{formatCurrency sum "EUR"}} {{formatDate at "short"}} {{formatDate at "time"}}</p>';
  template = (await templates.create(content)).id;
});

const json = (body: object): RequestInit => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
const data = { sum: 1234.5, at: '2026-03-01T23:30:00Z' };
const renderTemplate = (fields: Record<string, unknown> = {}): Promise<RenderResult> =>
  templates.expectStatus<RenderResult>(200, templates.render(template, data, fields));
const textOf = async ({ pdf_base64 }: RenderResult): Promise<string> =>
  (await readPdf(pdf_base64))
    .map(({ text }) => text)
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
const change = async (settings: object): Promise<void> => {
  const response = await caller.request('PUT', '/api/v1/account/settings', json(settings));
  expect(response.status, response.text).toBe(200);
};

describe('The locale and time zone of an account', () => {
  it('apply to templates after the request, and a later change does not alter an earlier render', async () => {
    expect(await textOf(await renderTemplate())).toContain('€1,234.50');
    await change({ locale: 'de-AT', time_zone: 'Europe/Vienna' });
    const austrian = await renderTemplate();
    expect(await textOf(austrian)).toMatch(/^de-AT € 1\.234,50 02\.03\.\d+ 00:30/);
    expect(await textOf(await renderTemplate({ locale: 'en', time_zone: 'UTC' }))).toContain('en €1,234.50');
    await change({ locale: 'ja', time_zone: 'Asia/Tokyo' });
    const repeated = await caller.request('POST', `/api/v1/renders/${austrian.id}/repeat`, json({}));
    expect(withoutDates((repeated.body as RenderResult).pdf_base64)).toBe(withoutDates(austrian.pdf_base64));
    const { code, stdout } = await at.installation.runCommand('--json', 'verify', austrian.id);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { id: austrian.id, same: true }]);
  });

  it('apply to the date in header and footer', async () => {
    for (const time_zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
      await change({ time_zone });
      const rendered = await caller.render('html', '<p>', { footer_html: '{{date}}' });
      const date = new Intl.DateTimeFormat('sv-SE', { timeZone: time_zone }).format(new Date(rendered.created_at));
      expect(await textOf(rendered)).toBe(date);
    }
  });

  it('apply to converted documents whose language is not known', async () => {
    await change({ locale: 'de' });
    const words = await caller.render('markdown', '"Grüße"');
    expect(await textOf(words)).toBe('„Grüße“');
    const english = await caller.render('markdown', '"This is the text of a letter that was sent to you"');
    expect(await textOf(english)).toContain('“This');
  });
});
