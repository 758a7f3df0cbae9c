import { beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { sharedService } from '../support/service/for-test-file.ts';
import { type TemplateClient, createTemplateClient } from '../support/client/template-client.ts';

const at = sharedService();
let caller: ApiClient;
let templateClient: TemplateClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
  templateClient = createTemplateClient(caller);
});

describe('Data for a template', () => {
  it.each([
    ['{{customer.name}}', {}, 'customer.name'],
    ['a\n{{customer.name}}', { customer: {} }, 'customer.name'],
    ['{{#each items}}{{this.price}}{{/each}}', { items: [{ price: 1 }, {}] }, 'this.price'],
    ['{{formatDate due "DD"}}', {}, 'due'],
    ['{{toString}}', { x: 1 }, 'toString'],
    ['{{x.constructor.name}}', { x: 'y' }, 'x.constructor.name'],
    ['{{x.length}}', { x: {} }, 'x.length'],
  ])('is rejected with the name of the missing variable: %j with %j', async (content, data, missing_variable) => {
    const { id } = await templateClient.create(content);
    const body = expectErrorResponse(await templateClient.render(id, data), 'template_render_error', {
      missing_variable,
    });
    expect(body.render_id).toMatch(/^render_/);
    expect(body.missing_variables).toHaveLength(1);
    expect(body.errors).toBeUndefined();
  });

  it('is rejected with every missing variable and every wrong type at once by a render and a template test', async () => {
    const { id } = await templateClient.create(
      '<h1>{{number}}</h1>\n{{#each items}}<p>{{this.name}} {{this.price}}</p>{{/each}}{{formatDate due "short"}}',
      {
        variables: [
          { name: 'number', type: 'string', required: true },
          { name: 'due', type: 'date', required: true },
        ],
      },
    );
    const data = { items: [{ name: 'a', price: 1 }, { name: 'b' }, {}], due: 'soon' };
    const expected = {
      missing_variable: 'number',
      line: 1,
      missing_variables: ['number', 'items[1].price', 'items[2].name', 'items[2].price'],
    };
    const rendered = await templateClient.render(id, data);
    const { errors } = expectErrorResponse(rendered, 'template_render_error', expected);
    expect(errors).toMatchObject([
      { error: 'template_render_error', missing_variable: 'number', line: 1 },
      { error: 'template_render_error', variable: 'due', line: 2 },
      { missing_variable: 'this.price', line: 2, message: expect.stringContaining('items[1].price') },
      { missing_variable: 'this.name', line: 2 },
      { missing_variable: 'this.price', line: 2, message: expect.stringContaining('items[2].price') },
    ]);
    const tested = await templateClient.send('POST', `/${id}/test`, { data });
    expect(expectErrorResponse(tested, 'template_render_error', expected).errors).toEqual(errors);
  });

  it('may lack the values of conditions and loops, and null is not missing', async () => {
    const { id } = await templateClient.create('<p>a{{#if x.y}}b{{/if}}{{#each z}}c{{/each}}{{w}}d</p>');
    expect(await templateClient.renderText(id, { w: null })).toBe('ad');
  });

  it('is checked against the declared variables', async () => {
    const variables = [
      { name: 'number', type: 'string', required: true },
      { name: 'due', type: 'date' },
      { name: 'items', type: 'array' },
      { name: 'total', type: 'number' },
      { name: 'paid', type: 'boolean' },
      { name: 'customer', type: 'object' },
    ];
    const { id } = await templateClient.create('<p>ok</p>', { variables });
    expectErrorResponse(await templateClient.render(id, {}), 'template_render_error', { missing_variable: 'number' });
    for (const [name, value] of [
      ['number', 5],
      ['due', 'soon'],
      ['due', '2026-02-30'],
      ['items', {}],
      ['total', '5'],
      ['paid', 'yes'],
      ['customer', []],
    ] as const)
      expectErrorResponse(await templateClient.render(id, { number: 'x', [name]: value }), 'template_render_error', {
        variable: name,
      });
    expect(
      await templateClient.renderText(id, {
        number: 'x',
        due: '2026-02-28',
        items: [],
        total: 5,
        paid: false,
        customer: {},
      }),
    ).toBe('ok');
    expect(await templateClient.renderText(id, { number: null, due: null })).toBe('ok');
  });

  it.each([
    ['{{formatDate x "DD"}}', 'not a date'],
    ['{{formatDate x "DD"}}', {}],
    ['{{formatCurrency x "EUR"}}', 'much'],
    ['{{formatCurrency 5 x}}', 'EURO'],
    ['{{formatCurrency 5 x}}', ''],
    ['{{truncate "text" x}}', -1],
    ['{{truncate "text" x}}', 'far'],
  ])('is rejected when %j gets %j', async (content, x) => {
    const { id } = await templateClient.create(content);
    expectErrorResponse(await templateClient.render(id, { x }), 'template_render_error', { line: 1 });
  });

  it('is rejected if it is missing or not an object', async () => {
    const { id } = await templateClient.create('x');
    for (const data of ['text', [], 5, null, undefined])
      expectErrorResponse(await caller.postRender({ mode: 'RENDER', template_id: id, data }), 'invalid_request', {
        field: 'data',
      });
  });
});
