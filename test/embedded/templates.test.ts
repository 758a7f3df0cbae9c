import { beforeAll, describe, expect, it } from 'vitest';
import { permissions } from '#contracts/events/account.ts';
import { bareId } from '#contracts/names.ts';
import { createUnlimitedKey, issueKey, type IssuedKey, openAccount } from '../support/service/accounts.ts';
import { createClient } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { sharedService } from '../support/service/for-test-file.ts';
import { type TemplateClient, createTemplateClient } from '../support/client/template-client.ts';

const at = sharedService();
const as = (key: string): TemplateClient => createTemplateClient(createClient(at.service.url, key));
let account: string;
let key: IssuedKey;
let templateClient: TemplateClient;
let unlimited: TemplateClient;
beforeAll(async () => {
  account = await openAccount(at.installation, '--requests-per-minute', '100000');
  key = await issueKey(at.installation, account);
  templateClient = as(key.key);
  unlimited = as(await createUnlimitedKey(at.installation, '--plan', 'enterprise'));
});

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const variables = [
  { name: 'number', type: 'string', required: true },
  { name: 'paid', type: 'boolean', required: false },
];
const whole = {
  name: 'Invoice',
  description: 'For the shop',
  content: '<h1>{{number}}</h1>',
  category: 'invoice',
  variables,
  default_options: { page_size: 'Letter', margin_top: 25, locale: 'de-AT', time_zone: 'Europe/Vienna' },
};

describe('A new template', () => {
  it('is returned as version 1 with its location and all fields but its content', async () => {
    const { status, body, headers } = await templateClient.post(whole);
    const { content: _, ...shown } = whole;
    expect([status, body]).toEqual([
      201,
      {
        ...shown,
        id: expect.stringMatching(/^tpl_[0-9A-Z]{26}$/),
        version: 1,
        created_at: iso,
        updated_at: body.created_at,
      },
    ]);
    expect([headers.get('location'), headers.get('etag')]).toEqual([`/api/v1/templates/${String(body.id)}`, '"1"']);
    expect(await templateClient.get(String(body.id))).toEqual({ ...body, content: whole.content, usage_count: 0 });
  });

  it('needs only a name and content; other fields have defaults', async () => {
    const { body } = await templateClient.post({ name: 'Least', content: 'x' });
    expect(body).toEqual({
      id: expect.any(String),
      name: 'Least',
      category: 'other',
      variables: [],
      default_options: {},
      version: 1,
      created_at: iso,
      updated_at: iso,
    });
  });

  it('has a name that is unique in the account, after trimming and Unicode normalisation', async () => {
    const { name } = await templateClient.create('x', { name: '  Re\u0301sume\u0301 ' });
    expect(name).toBe('R\u00e9sum\u00e9');
    for (const same of [name, ' R\u00e9sum\u00e9', 'Re\u0301sum\u00e9\t'])
      expectErrorResponse(await templateClient.post({ name: same, content: 'x' }), 'template_name_exists');
    await templateClient.create('x', { name: 'r\u00e9sum\u00e9' });
    await unlimited.create('x', { name });
  });
});

describe('The list of templates', () => {
  it('is sorted newest first, in pages, and can be filtered by category', async () => {
    const own = as(await createUnlimitedKey(at.installation));
    expect(await own.expectStatus(200, own.send('GET', ''))).toEqual({
      templates: [],
      total: 0,
      page: 1,
      limit: 20,
      pages: 0,
    });
    const made = [];
    for (const category of ['letter', 'receipt', 'letter', 'letter', 'receipt'])
      made.push(await own.create('<p>secret</p>', { category }));
    const newest = made.toReversed().map(({ variables: _v, default_options: _d, ...summary }) => summary);
    expect(await own.expectStatus(200, own.send('GET', '?limit=2'))).toEqual({
      templates: newest.slice(0, 2),
      total: 5,
      page: 1,
      limit: 2,
      pages: 3,
    });
    expect(await own.expectStatus(200, own.send('GET', '?limit=2&page=3'))).toMatchObject({
      templates: newest.slice(4),
      page: 3,
    });
    expect(await own.expectStatus(200, own.send('GET', '?limit=2&page=4'))).toMatchObject({ templates: [], total: 5 });
    expect(await own.expectStatus(200, own.send('GET', '?category=receipt&limit=100'))).toMatchObject({
      templates: newest.filter(({ category }) => category === 'receipt'),
      total: 2,
      pages: 1,
    });
  });

  it.each([
    ['page=0', 'page'],
    ['page=1.5', 'page'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=x', 'limit'],
    ['category=poem', 'category'],
    ['sort=name', 'sort'],
    ['page=1&page=2', 'page'],
  ])('is rejected for %s', async (query, field) => {
    expectErrorResponse(await templateClient.send('GET', `?${query}`), 'invalid_request', { field });
  });
});

describe('An update', () => {
  it('changes only the fields it contains, as the next version', async () => {
    const created = await templateClient.create('<p>1</p>', { description: 'first', category: 'letter', variables });
    const { status, body, headers } = await templateClient.send('PUT', `/${created.id}`, { content: '<p>2</p>' });
    expect([status, body]).toEqual([
      200,
      { id: created.id, name: created.name, description: 'first', version: 2, updated_at: iso },
    ]);
    expect(headers.get('etag')).toBe('"2"');
    expect(await templateClient.get(created.id)).toEqual({
      ...created,
      content: '<p>2</p>',
      version: 2,
      updated_at: body.updated_at,
      usage_count: 0,
    });
  });

  it('that changes nothing is a new version, too', async () => {
    const { id } = await templateClient.create('x');
    expect((await templateClient.update(id, {})).version).toBe(2);
    expect((await templateClient.update(id, { content: 'x' })).version).toBe(3);
    expect((await templateClient.versions(id)).map(({ changes }) => changes)).toEqual([
      'nothing',
      'nothing',
      'created',
    ]);
  });

  it('releases the previous name and reserves the new one', async () => {
    const { id } = await templateClient.create('x', { name: 'Before' });
    await templateClient.update(id, { name: 'After' });
    await templateClient.create('x', { name: 'Before' });
    expectErrorResponse(await templateClient.post({ name: 'After', content: 'x' }), 'template_name_exists');
    expectErrorResponse(await templateClient.send('PUT', `/${id}`, { name: 'Before' }), 'template_name_exists');
    expect(await templateClient.get(id)).toMatchObject({ name: 'After', version: 2 });
  });

  it('with If-Match is rejected if the version has changed', async () => {
    const { id } = await templateClient.create('1');
    const put = (match: string) => templateClient.send('PUT', `/${id}`, { content: '2' }, { 'if-match': match });
    expect((await put('1')).status).toBe(200);
    expectErrorResponse(await put('1'), 'version_conflict', { current_version: 2 });
    expectErrorResponse(await put('"7"'), 'version_conflict', { current_version: 2 });
    for (const [method, path, body] of [
      ['POST', '/restore', { version: 1 }],
      ['DELETE', '', undefined],
    ] as const)
      expectErrorResponse(
        await templateClient.send(method, `/${id}${path}`, body, { 'if-match': '"1"' }),
        'version_conflict',
      );
    expect((await put('"2"')).body.version).toBe(3);
    expect((await put('*')).body.version).toBe(4);
    expectErrorResponse(await put('latest'), 'invalid_request', { field: 'If-Match' });
    expect((await templateClient.get(id)).version).toBe(4);
  });
});

describe('A deleted template', () => {
  it('is not found on any route, and its name is free', async () => {
    const { id, name } = await templateClient.create('<p>{{x}}</p>');
    const rendered = (await templateClient.render(id, { x: 'y' })).body;
    const { status, text } = await templateClient.send('DELETE', `/${id}`);
    expect([status, text]).toEqual([204, '']);
    for (const [method, path, body] of [
      ['GET', ''],
      ['PUT', '', { content: 'x' }],
      ['DELETE', ''],
      ['GET', '/versions'],
      ['GET', '/versions/1'],
      ['GET', '/events'],
      ['POST', '/restore', { version: 1 }],
      ['POST', '/test', { data: {} }],
    ] as const) {
      expectErrorResponse(await templateClient.send(method, `/${id}${path}`, body), 'template_not_found');
    }
    expectErrorResponse(await templateClient.render(id, {}), 'render_template_not_found', { template_id: id });
    const { templates } = await templateClient.expectStatus<{ templates: { id: string }[] }>(
      200,
      templateClient.send('GET', '?limit=100'),
    );
    expect(templates.map((one) => one.id)).not.toContain(id);
    await templateClient.create('x', { name });
    const job = await createClient(at.service.url, key.key).request(
      'GET',
      `/api/v1/jobs/${String(rendered.id).replace('render_', 'job_')}`,
    );
    expect(job.body).toMatchObject({ status: 'DONE', template_id: id, template_version: 1 });
  });
});

describe('The versions of a template', () => {
  const manyVersions = async (templates: TemplateClient): Promise<string> => {
    const { id } = await templates.create('version 1');
    for (let version = 2; version <= 13; version += 1)
      await templates.update(id, { content: `version ${version}`, changes: `Change ${version}` });
    return id;
  };
  const readable = async (templates: TemplateClient, id: string): Promise<number[]> => {
    const numbers: number[] = [];
    for (let version = 0; version <= 14; version += 1)
      if ((await templates.send('GET', `/${id}/versions/${version}`)).status === 200) numbers.push(version);
    return numbers;
  };
  const upTo = (first: number, last: number): number[] =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index);

  it('are listed newest first, and the last ten can be read and rendered unchanged', async () => {
    const id = await manyVersions(templateClient);
    const listed = await templateClient.versions(id);
    expect(listed.map(({ version }) => version)).toEqual(upTo(4, 13).toReversed());
    expect(listed[0]).toEqual({
      version: 13,
      created_at: iso,
      changes: 'Change 13',
      created_by: { kind: 'key', id: expect.stringMatching(/^key_/), name: expect.any(String) },
    });
    expect(await readable(templateClient, id)).toEqual(upTo(4, 13));
    expect(await templateClient.expectStatus(200, templateClient.send('GET', `/${id}/versions/4`))).toMatchObject({
      template_id: id,
      version: 4,
      content: 'version 4',
      changes: 'Change 4',
      category: 'other',
      variables: [],
      default_options: {},
    });
    expect(await templateClient.renderText(id, {}, { template_version: 4 })).toBe('version 4');
    for (const template_version of [3, 14, 1e9])
      expectErrorResponse(await templateClient.render(id, {}, { template_version }), 'render_template_not_found', {
        template_id: id,
        template_version,
      });
    for (const version of [3, 14])
      expectErrorResponse(await templateClient.send('POST', `/${id}/restore`, { version }), 'template_not_found');
    for (const version of ['abc', '-1', '4.0', '99999999999999999999'])
      expectErrorResponse(await templateClient.send('GET', `/${id}/versions/${version}`), 'template_not_found');
  });

  it('are in the history even if their content is no longer stored', async () => {
    const id = await manyVersions(templateClient);
    const { events } = (await templateClient.send('GET', `/${id}/events`)).body as {
      events: { type: string; data: { version?: number } }[];
    };
    expect(events.map(({ type, data }) => [type, data.version])).toEqual([
      ['TemplateCreated', undefined],
      ...upTo(2, 13).map((version) => ['TemplateVersioned', version]),
    ]);
  });

  it('are all stored on the enterprise plan', async () => {
    const id = await manyVersions(unlimited);
    expect((await unlimited.versions(id)).map(({ version }) => version)).toEqual(upTo(1, 13).toReversed());
    expect(await readable(unlimited, id)).toEqual(upTo(1, 13));
    expect(await unlimited.renderText(id, {}, { template_version: 1 })).toBe('version 1');
  });

  it('are restored as a new version with the old content and settings and the current name', async () => {
    const old = { description: 'Old', category: 'invoice', variables, default_options: { page_size: 'A3' } };
    const { id } = await templateClient.create('<p>old</p>', { name: 'Old name', ...old });
    const change = { description: 'New', category: 'letter', variables: [], default_options: {} };
    await templateClient.update(id, { name: 'New name', content: '<p>new</p>', ...change });
    expect(
      await templateClient.expectStatus(200, templateClient.send('POST', `/${id}/restore`, { version: 1 })),
    ).toMatchObject({ id, name: 'New name', version: 3 });
    expect(await templateClient.get(id)).toMatchObject({ name: 'New name', content: '<p>old</p>', ...old, version: 3 });
    expect((await templateClient.versions(id))[0]!.changes).toMatch(/version 1\b/);
  });

  it.each([
    [{}, 'version'],
    [{ version: 0 }, 'version'],
    [{ version: '1' }, 'version'],
    [{ version: 1, content: 'x' }, 'content'],
  ])('are not restored by the invalid body %j', async (body, field) => {
    const { id } = await templateClient.create('x');
    expectErrorResponse(await templateClient.send('POST', `/${id}/restore`, body), 'invalid_request', { field });
  });
});

describe('The history of a template', () => {
  it('has each event with its time and actor', async () => {
    const { id } = await templateClient.create('x');
    await templateClient.update(id, { content: 'y' });
    await templateClient.expectStatus(200, templateClient.send('POST', `/${id}/restore`, { version: 1 }));
    const { template_id, events } = (await templateClient.send('GET', `/${id}/events`)).body as {
      template_id: string;
      events: Record<string, unknown>[];
    };
    expect([template_id, events.map(({ type }) => type)]).toEqual([
      id,
      ['TemplateCreated', 'TemplateVersioned', 'TemplateVersioned'],
    ]);
    for (const [revision, event] of events.entries())
      expect(event).toMatchObject({
        revision,
        time: iso,
        actor: { kind: 'key', id: key.id },
        request_id: expect.stringMatching(/^req_/),
      });
    expect(events[2]!.data).toMatchObject({ version: 3, restored_from: 1 });
    const printed = await at.installation.runJsonCommand<{ type: string }[]>('events', `template-${bareId('tpl', id)}`);
    expect(printed.map(({ type }) => type)).toEqual(events.map(({ type }) => type));
  });
});

describe('A key', () => {
  it('can test a template if it has the permissions to read templates and to render', async () => {
    const { id } = await templateClient.create('x');
    const withPermissions = async (...some: string[]) =>
      as((await issueKey(at.installation, account, '--permissions', some.join(','))).key).send('POST', `/${id}/test`, {
        data: {},
      });
    expectErrorResponse(await withPermissions('templates:read'), 'insufficient_permissions', {
      required_permission: 'render:create',
    });
    expectErrorResponse(await withPermissions('render:create'), 'insufficient_permissions', {
      required_permission: 'templates:read',
    });
    expect((await withPermissions('templates:read', 'render:create')).status).toBe(200);
  });

  it('can use the template routes of its permissions, and no others', async () => {
    const { id } = await templateClient.create('x');
    const needs = [
      ['POST', '', { name: 'By permission', content: 'x' }, 'templates:write'],
      ['GET', '', undefined, 'templates:read'],
      ['GET', `/${id}`, undefined, 'templates:read'],
      ['GET', `/${id}/versions`, undefined, 'templates:read'],
      ['GET', `/${id}/versions/1`, undefined, 'templates:read'],
      ['GET', `/${id}/events`, undefined, 'templates:read'],
      ['POST', '/validate', { content: 'x' }, 'templates:read'],
      ['PUT', `/${id}`, { content: 'y' }, 'templates:write'],
      ['POST', `/${id}/restore`, { version: 1 }, 'templates:write'],
      ['DELETE', `/${id}`, undefined, 'templates:delete'],
    ] as const;
    for (const permission of ['templates:read', 'templates:write', 'templates:delete'] as const) {
      const others = permissions.filter((one) => one !== permission).join(',');
      const [only, without] = [
        as((await issueKey(at.installation, account, '--permissions', permission)).key),
        as((await issueKey(at.installation, account, '--permissions', others)).key),
      ];
      for (const [method, path, body, needed] of needs) {
        if (needed !== permission)
          expectErrorResponse(await only.send(method, path, body), 'insufficient_permissions', {
            required_permission: needed,
          });
        else
          expectErrorResponse(await without.send(method, path, body), 'insufficient_permissions', {
            required_permission: needed,
          });
      }
      for (const [method, path, body, needed] of needs)
        if (needed === permission)
          expect((await only.send(method, path, body)).status, `${method} ${path}`).toBeLessThan(300);
    }
  });
});
