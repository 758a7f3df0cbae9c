import { afterAll, beforeAll, expect, it } from 'vitest';
import { bareId, jobIdOf, streams } from '#contracts/names.ts';
import type { InstallationSecrets } from '#libs/secrets/installation-secret.ts';
import { htmlRequest, type InProcessApi, openInProcessApi } from '../support/api/in-process-api.ts';
import { renderJob, verifyNext } from '../support/api/stub-renderer.ts';

let api: InProcessApi;
let key: string;
beforeAll(async () => {
  api = await openInProcessApi('2026-05-20T12:00:30.000Z');
  ({ secret: key } = await api.createKey(await api.createAccount('pro')));
});
afterAll(() => api.closeAndRemove());

const changed = { current: Buffer.alloc(32, 1), previous: [] };
const rotated = { ...changed, previous: [Buffer.alloc(32)] };
const encryption = { user_password: 'tulip 7261' };
const unreadable = (what: string) =>
  expect.stringMatching(new RegExp(`^${what}.*cannot be decrypted.*COLOPHON_PREVIOUS_SECRETS.*POST /api/v1/render`));

const eventsOf = (id: string) => api.eventLog.store.read(streams.render(id));
const request = async (path: string, fields: object): Promise<string> => {
  const { body } = await api.request(key, 'POST', path, { ...htmlRequest, ...fields });
  return bareId('render', String(body['id']))!;
};

it('A verification without the secret that encrypts the passwords says which setting brings it back', async () => {
  const id = await request('/api/v1/render', { encryption });
  await renderJob(api, jobIdOf(id));
  await api.catchUpReadModels();
  const verify = async (secrets: InstallationSecrets) => {
    const verifying = api.request(key, 'POST', `/api/v1/renders/render_${id}/verify`);
    await verifyNext(api, `render_${id}`, undefined, secrets);
    return verifying;
  };
  expect(await verify(changed)).toMatchObject({
    status: 409,
    body: { error: 'render_input_lost', message: unreadable('The passwords') },
  });
  expect(await verify(rotated)).toMatchObject({ status: 200, body: { matches: true } });
});

it.each([
  ['passwords', 'The passwords', { encryption }],
  [
    'headers of a URL',
    'The url_headers and url_cookies',
    { input_type: 'url', data: 'https://example.com/', url_headers: { Authorization: 'Bearer 1' } },
  ],
])('A render whose %s cannot be decrypted fails in its first attempt, and is given back', async (_, what, fields) => {
  const id = await request('/api/v1/render/async', fields);
  await renderJob(api, jobIdOf(id), undefined, changed);
  const events = await eventsOf(id);
  expect(events.filter(({ type }) => type === 'RenderStarted')).toHaveLength(1);
  expect(events.find(({ type }) => type === 'RenderFailed')?.data).toMatchObject({
    attempt: 1,
    error: { name: 'render_input_lost', message: unreadable(what) },
    quotaRefundDate: '2026-05-20',
  });
});
