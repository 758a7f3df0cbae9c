import { expect, type Page } from '@playwright/test';
import { test } from './support/dashboard-service.ts';

type Write = [method: string, path: string, body?: Record<string, unknown>];
type Ids = { account: string; render: string; job: string; template: string; key: string; person: string };

/** A valid request for each way to change something. */
const writesWith = ({ account, render, job, template, key, person }: Ids): Write[] => [
  ['POST', '/render', { mode: 'CONVERT', input_type: 'html', data: '<p>a' }],
  ['POST', '/render/async', { mode: 'CONVERT', input_type: 'html', data: '<p>a' }],
  ['POST', `/renders/${render}/repeat`, {}],
  ['POST', `/renders/${render}/verify`, {}],
  ['POST', `/jobs/${job}/redeliver`, {}],
  ['POST', '/jobs/redeliver', { since: '2026-01-01T00:00:00Z' }],
  ['POST', '/deliveries/redeliver', { failed_since: '2026-01-01T00:00:00Z' }],
  ['POST', '/webhook-secret/rotate'],
  ['POST', '/webhooks/test', { url: 'https://receiver.example/hook' }],
  ['POST', '/templates', { name: 'Mine', content: 'x' }],
  ['POST', '/templates/preview', { content: 'x', data: {} }],
  ['PUT', `/templates/${template}`, { content: 'x' }],
  ['POST', `/templates/${template}/restore`, { version: 1 }],
  ['POST', `/templates/${template}/test`, { data: {} }],
  ['DELETE', `/templates/${template}`],
  ['POST', '/keys', { name: 'mine', type: 'test' }],
  ['DELETE', `/keys/${key}`],
  ['PUT', '/account/settings', { name: 'Mine' }],
  ['PUT', `/members/${person}`, { role: 'owner' }],
  ['DELETE', `/members/${person}`],
  ['POST', '/invitations', { email: 'x@example.com', role: 'owner' }],
  ['DELETE', '/invitations/inv_01ARZ3NDEKTSV4RRFFQ69G5FAV'],
  ['POST', '/operator/accounts', { name: 'Mine', plan: 'enterprise' }],
  ['POST', `/operator/accounts/${account}/suspend`, { reason: 'x' }],
  ['POST', `/operator/accounts/${account}/reinstate`, {}],
  ['PUT', `/operator/accounts/${account}/plan`, { plan: 'enterprise' }],
  ['POST', `/operator/accounts/${account}/owner-link`, { email: 'x@example.com' }],
  ['DELETE', `/operator/operators/${person}`],
];
/** What belongs to the person, not to an account, or only checks what is sent. */
const changesNoAccount = (path: string): boolean =>
  /^\/(?:session|invitations\/(?:preview|accept)|templates\/validate)(?:\/|$)/.test(path);

/** Sends from the page itself, as a script of it could. The statuses by request. */
const sendFromPage = (page: Page, writes: readonly Write[]): Promise<Record<string, number>> =>
  page.evaluate(async (requests) => {
    const statuses: Record<string, number> = {};
    for (const [method, path, body] of requests) {
      const init = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
      const { status } = await fetch(`/api/v1${path}`, { method, credentials: 'same-origin', ...init });
      statuses[`${method} ${path}`] = status;
    }
    return statuses;
  }, writes);

const refused = (writes: readonly Write[]): Record<string, number> =>
  Object.fromEntries(writes.map(([method, path]) => [`${method} ${path}`, 403]));

test('Every request of a viewer that changes something is refused, and nothing changes', async ({
  browser,
  dashboard,
}) => {
  const { id: account, client, templates } = await dashboard.openAccount('Mill', 'first');
  const { id: template } = await templates.create('<p>{{x}}', { name: 'Letter', sample_data: { x: 'a' } });
  const { body: render } = await client.convert('html', '<p>a');
  const { body: listed } = await client.request('GET', '/api/v1/keys');
  const owner = await dashboard.openPage(browser, { accountId: account, role: 'owner' }, '/');
  const page = await dashboard.openPage(browser, { accountId: account, role: 'viewer' }, '/');
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  const members = await client.request('GET', '/api/v1/members');
  const { id: person } = (members.body['members'] as { id: string; role: string }[]).find(
    ({ role }) => role === 'owner',
  )!;
  const [{ id: key } = { id: '' }] = listed['keys'] as { id: string }[];
  const renderId = String(render['id']);
  const job = renderId.replace('render_', 'job_');
  const writes = writesWith({ account, render: renderId, job, template, key, person });

  // Each way to change something that the reference names is among them.
  const { paths } = (await (await fetch(`${dashboard.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const known = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => method !== 'get')
      .map((method) => `${method.toUpperCase()} ${path.replace('/api/v1', '').replaceAll(/\{\w+\}/g, '*')}`),
  );
  const sent = new Set(writes.map(([method, path]) => `${method} ${path.replaceAll(/\/\w+_[0-9A-Z]{26}/g, '/*')}`));
  expect(known.filter((one) => !changesNoAccount(one.split(' ')[1]!) && !sent.has(one))).toEqual([]);

  const eventsBefore = await client.request('GET', '/api/v1/events');
  expect(await sendFromPage(page, writes)).toEqual(refused(writes));
  expect((await client.request('GET', '/api/v1/events')).body).toEqual(eventsBefore.body);

  // What only an owner may do is refused to a developer, and what only an operator may do to an owner.
  const developer = await dashboard.openPage(browser, { accountId: account, role: 'developer' }, '/');
  const [ofOwners, ofOperators] = [/^\/(?:account|members|invitations)\//, /^\/operator\//].map((pattern) =>
    writes.filter(([, path]) => pattern.test(`${path}/`)),
  );
  expect(await sendFromPage(developer, [...ofOwners!, ...ofOperators!])).toEqual(
    refused([...ofOwners!, ...ofOperators!]),
  );
  expect(await sendFromPage(owner, ofOperators!)).toEqual(refused(ofOperators!));
});
