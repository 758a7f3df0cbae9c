import { beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type Body, createClient } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { sharedService } from '../support/service/for-test-file.ts';
import { type TemplateClient, createTemplateClient } from '../support/client/template-client.ts';

const at = sharedService();
let templateClient: TemplateClient;
let unlimited: TemplateClient;

beforeAll(async () => {
  templateClient = createTemplateClient(createClient(at.service.url, await createUnlimitedKey(at.installation)));
  unlimited = createTemplateClient(
    createClient(at.service.url, await createUnlimitedKey(at.installation, '--plan', 'enterprise')),
  );
});

const good = { name: 'Good', content: 'x' };
const variables = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `v${index}`, type: 'string' }));

describe('An invalid template is rejected', () => {
  it('without a name or content', async () => {
    for (const name of [undefined, null, '', '   '])
      expectErrorResponse(await templateClient.post({ ...good, name }), 'template_name_required');
    for (const content of [undefined, null, ''])
      expectErrorResponse(await templateClient.post({ ...good, content }), 'template_content_required');
    expectErrorResponse(await templateClient.post({}), 'template_name_required');
    const { id } = await templateClient.create('x');
    for (const blank of [null, '', '   ']) {
      const change = (fields: object) => templateClient.send('PUT', `/${id}`, fields);
      expectErrorResponse(await change({ name: blank }), 'template_name_required', { field: 'name' });
      expectErrorResponse(await change({ content: blank }), 'template_content_required', { field: 'content' });
    }
    for (const content of ['', ' \n'])
      expect((await templateClient.send('POST', '/validate', { content })).body).toEqual({
        valid: false,
        errors: [{ type: 'missing_content', message: 'A template needs content.', line: 1 }],
      });
  });

  it.each([
    ['page_size', 'Q', 'invalid_page_size', 'A4'],
    ['orientation', 'Landscape', 'invalid_orientation', 'landscape'],
  ] as const)('with the specific code for a wrong default of %s', async (option, received, code, valid) => {
    const { id } = await templateClient.create('x');
    const wrong = { default_options: { [option]: received } };
    for (const response of [
      await templateClient.post({ ...good, ...wrong }),
      await templateClient.send('PUT', `/${id}`, wrong),
    ])
      expectErrorResponse(response, code, {
        field: `default_options.${option}`,
        received,
        valid_values: expect.arrayContaining([valid]),
      });
  });

  it.each([
    ['name', { name: 5 }],
    ['name', { name: 'x'.repeat(201) }],
    ['name', { name: 'a\u0000b' }],
    ['description', { description: {} }],
    ['content', { content: { type: 'Program', body: [] } }],
    ['content', { content: ['x'] }],
    ['category', { category: 'poem' }],
    ['category', { category: 'constructor' }],
    ['variables', { variables: variables(51) }],
    ['variables', { variables: {} }],
    ['variables[0].type', { variables: [{ name: 'a', type: 'money' }] }],
    ['variables[0].type', { variables: [{ name: 'a' }] }],
    ['variables[0].required', { variables: [{ name: 'a', type: 'string', required: 'yes' }] }],
    ['variables[0].colour', { variables: [{ name: 'a', type: 'string', colour: 'red' }] }],
    [
      'variables[1].name',
      {
        variables: [
          { name: 'a', type: 'string' },
          { name: ' a', type: 'date' },
        ],
      },
    ],
    ['default_options.margin_top', { default_options: { margin_top: 101 } }],
    ['default_options.locale', { default_options: { locale: 'no such tag' } }],
    ['default_options.time_zone', { default_options: { time_zone: 'Mars/Olympus' } }],
    ['default_options.webhook_url', { default_options: { webhook_url: 'https://example.com' } }],
    ['id', { id: 'tpl_01JQZX3C5V8Y2N6T4R7W9K0MHB' }],
    ['version', { version: 7 }],
    ['constructor', { constructor: {} }],
  ])('with an invalid value at %s (%#)', async (field, wrong) => {
    expectErrorResponse(await templateClient.post({ ...good, ...wrong }), 'invalid_request', { field });
    if (!['id', 'version', 'constructor'].includes(field)) {
      const { id } = await templateClient.create('x');
      expectErrorResponse(await templateClient.send('PUT', `/${id}`, wrong), 'invalid_request', { field });
      expect((await templateClient.get(id)).version).toBe(1);
    }
  });

  it('with a key __proto__ at any level', async () => {
    const bodies = [
      '{"name":"x","content":"y","__proto__":{"a":1}}',
      '{"name":"x","content":"y","default_options":{"__proto__":{"page_size":"A3"}}}',
      '{"name":"x","content":"y","variables":[{"name":"a","type":"string","__proto__":{}}]}',
    ];
    const caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
    for (const body of bodies)
      expectErrorResponse(
        await caller.request('POST', '/api/v1/templates', { headers: { 'content-type': 'application/json' }, body }),
        'invalid_request',
      );
  });

  it('above 1 MB in bytes, or above 5 MB on the enterprise plan', async () => {
    const megabyte = 1024 * 1024;
    expectErrorResponse(
      await templateClient.post({ ...good, content: 'x'.repeat(megabyte + 1) }),
      'template_too_large',
      {
        max_size_mb: 1,
      },
    );
    expectErrorResponse(
      await templateClient.post({ ...good, content: '\u00e9'.repeat(megabyte / 2 + 1) }),
      'template_too_large',
    );
    const { id } = await templateClient.create('x'.repeat(megabyte));
    expectErrorResponse(
      await templateClient.send('PUT', `/${id}`, { content: 'x'.repeat(megabyte + 1) }),
      'template_too_large',
    );
    await unlimited.create('x'.repeat(5 * megabyte));
    expectErrorResponse(
      await unlimited.post({ ...good, content: 'x'.repeat(5 * megabyte + 1) }),
      'template_too_large',
      { max_size_mb: 5 },
    );
    await unlimited.create('x', { variables: variables(500) });
  });

  it.each([
    ['{{#if x}}', 1],
    ['a\n{{/if}}', 2],
    ['a\n\n{{#each x}}{{/if}}', 3],
    ['{{shout x}}', 1],
    ['{{#shout x}}{{/shout}}', 1],
    ['\n{{> part}}', 2],
    ['\n{{#*inline "a"}}{{> a}}{{/inline}}{{> a}}', 2],
    ['{{* decorate}}', 1],
    ['{{x', 1],
    ['{{}}', 1],
  ])('with a syntax error: %j', async (content, line) => {
    expectErrorResponse(await templateClient.post({ ...good, content }), 'invalid_template_syntax', { line });
    const { id } = await templateClient.create('x');
    expectErrorResponse(await templateClient.send('PUT', `/${id}`, { content }), 'invalid_template_syntax', { line });
  });

  it.each([
    ['<a>\n{{#if x}}</a>', 2],
    ['<a>{{shout x}}</a>', 1],
    ['<a>\n\n{{label "none"}}</a>', 3],
  ])('with a syntax error in the template of its invoice: %j', async (template, line) => {
    const wrong = { default_options: { factur_x: { profile: 'en16931', template } } };
    const details = { field: 'default_options.factur_x.template', line };
    expectErrorResponse(await templateClient.post({ ...good, ...wrong }), 'invalid_template_syntax', details);
    const { id } = await templateClient.create('x');
    const changed = await templateClient.send('PUT', `/${id}`, wrong);
    expectErrorResponse(changed, 'invalid_template_syntax', details);
    expect(changed.text).toContain('factur_x.template: ');
  });

  it.each([
    ['a megabyte of placeholders', '{{x}}'.repeat(200_000)],
    ['5,000 conditions within each other', `${'{{#if x}}'.repeat(5000)}y${'{{/if}}'.repeat(5000)}`],
  ])('if it is too complex: %s', async (_, content) => {
    expectErrorResponse(await templateClient.post({ ...good, content }), 'invalid_template_syntax');
  });

  it('and stores neither a template nor a name', async () => {
    expect((await templateClient.create('x', { name: 'Good' })).version).toBe(1);
  });
});

describe('A template', () => {
  it.each([
    '{{__proto__}}',
    '{{constructor}}',
    '{{x.__proto__}}',
    '{{x.constructor}}',
    '{{x.constructor.constructor}}',
    '{{lookup x "constructor"}}',
    '{{lookup x "__proto__"}}',
    '{{#with x.__proto__}}{{y}}{{/with}}',
    '{{#each x.constructor}}{{y}}{{/each}}',
    '{{this.toString}}',
    '{{@root.constructor}}',
    '{{x.hasOwnProperty}}',
  ])('reads no inherited member of JavaScript: %s', async (content) => {
    const created = await templateClient.post({ name: content, content });
    if (created.status !== 201) return void expectErrorResponse(created, 'invalid_template_syntax');
    const response = await templateClient.render(String(created.body.id), { x: { a: 1 } });
    if (response.status !== 200) return void expectErrorResponse(response, 'template_render_error');
    expect(await templateClient.renderText(String(created.body.id), { x: { a: 1 } })).toBe('');
  });

  it('is not affected by __proto__ in the data of an earlier render', async () => {
    const { id } = await templateClient.create('<p>{{#if polluted}}yes{{else}}no{{/if}}</p>');
    const data = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}') as Body;
    await templateClient.render(id, data);
    expect(await templateClient.renderText(id, {})).toBe('no');
  });

  it('with three nested loops over 400 items is rejected', async () => {
    const { id } = await templateClient.create(
      '{{#each x}}{{#each ../x}}{{#each ../../x}}{{this}} {{/each}}{{/each}}{{/each}}',
    );
    expectErrorResponse(
      await templateClient.render(id, { x: Array.from({ length: 400 }, (_, index) => index) }),
      'template_render_error',
    );
  });

  it('with a megabyte of text in a thousand places is rejected', async () => {
    const { id } = await templateClient.create('{{#each places}}<p>{{../text}}</p>{{/each}}');
    expectErrorResponse(
      await templateClient.render(id, { places: Array.from({ length: 1000 }, () => 1), text: 'x'.repeat(1_000_000) }),
      'template_render_error',
    );
  });
});
