import { beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { type TemplateClient, createTemplateClient } from '../support/client/template-client.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let templateClient: TemplateClient;
beforeAll(
  async () =>
    void (templateClient = createTemplateClient(
      createClient(at.service.url, await createUnlimitedKey(at.installation)),
    )),
);

const labels = { en: { total: 'Total', by: 'by {date}' }, de: { total: 'Summe', by: 'bis {date}' } };
const content = '<html lang="{{@locale}}" dir="{{@dir}}"><p>{{label "total"}} {{label "by" date=due}}</p>';

describe('The labels of a template', () => {
  it('follow the locale of the request, or else that of the template, and are kept with each version', async () => {
    const created = await templateClient.create(content, { labels, default_options: { locale: 'de' } });
    expect(created).toMatchObject({ labels });
    const { id } = created;
    const render = (fields = {}) => templateClient.renderText(id, { due: '5' }, fields);
    expect([await render(), await render({ locale: 'en-GB' }), await render({ locale: 'fr' })]).toEqual([
      'Summe bis 5',
      'Total by 5',
      'Total by 5',
    ]);
    await templateClient.update(id, { labels: { ...labels, de: { total: 'Gesamt' } } });
    expect([await render(), await render({ template_version: 1 })]).toEqual(['Gesamt by 5', 'Summe bis 5']);
    expect((await templateClient.get(id)).labels).toMatchObject({ de: { total: 'Gesamt' } });
    expect((await templateClient.send('GET', `/${id}/versions/1`)).body).toMatchObject({ labels });
    expect((await templateClient.versions(id))[0]).toMatchObject({ changes: 'labels' });
  });

  it('must have every label that the template names, after every change', async () => {
    const wrong = { content: 'x\n{{label "gone"}}' };
    expectErrorResponse(await templateClient.post({ name: 'x', labels, ...wrong }), 'invalid_template_syntax', {
      line: 2,
    });
    const { id } = await templateClient.create(content, { labels });
    for (const change of [wrong, { labels: {} }, { labels: { en: { total: 'Total' } } }])
      expectErrorResponse(await templateClient.send('PUT', `/${id}`, change), 'invalid_template_syntax');
    await templateClient.update(id, { content: 'x', labels: {} });
    const { labels: none, version } = await templateClient.get(id);
    expect([none, version]).toEqual([undefined, 2]);
    const validation = await templateClient.send('POST', '/validate', { ...wrong, labels });
    expect(validation.body).toMatchObject({
      valid: false,
      errors: [{ type: 'missing_label', label: 'gone', line: 2 }],
    });
  });

  it('may not be of an unknown language', async () => {
    const request = { name: 'x', content: 'x', labels: { xx: { total: 'x' } } };
    expectErrorResponse(await templateClient.post(request), 'invalid_request');
  });
});
