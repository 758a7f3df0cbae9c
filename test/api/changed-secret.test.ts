import { afterAll, beforeAll, expect, it } from 'vitest';
import { bareId, jobIdOf, streams } from '#contracts/names.ts';
import { newAggregate, newCause } from '#application/command-handling/aggregate.ts';
import { installation } from '#libs/domain/installation.ts';
import { fingerprintOf, type InstallationSecrets } from '#libs/secrets/installation-secret.ts';
import { newId } from '#libs/ids/ulids.ts';
import { htmlRequest, type InProcessApi, openInProcessApi } from '../support/api/in-process-api.ts';
import { renderJob, verifyNext } from '../support/api/stub-renderer.ts';

const start = '2026-05-20T12:00:30.000Z';
let api: InProcessApi;
let key: string;
beforeAll(async () => {
  api = await openInProcessApi(start);
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

it('A repeated request whose Idempotency-Key was used with a secret that is gone is not called another request', async () => {
  const first = { current: Buffer.alloc(32, 2), previous: [] };
  const before = await openInProcessApi(start, { secrets: first });
  const { secret: key } = await before.createKey(await before.createAccount());
  const send = async ({ app }: InProcessApi, data = 'x') => {
    const headers = { authorization: `Bearer ${key}`, 'idempotency-key': 'one' };
    const payload = { ...htmlRequest, data };
    const { body } = await app.inject({ method: 'POST', url: '/api/v1/render/async', headers, payload });
    return JSON.parse(body) as { id?: string; error?: string; message?: string };
  };
  const { id } = await send(before);
  const aggregate = newAggregate(before.eventLog, installation, streams.installation());
  const cause = newCause({ kind: 'person', name: 'tests' }, null);
  const [from, to] = [fingerprintOf(first.current), fingerprintOf(changed.current)];
  await aggregate.execute({ type: 'create', installationId: newId(), secretFingerprint: from }, cause);
  await aggregate.execute({ type: 'rotateSecret', from, to }, cause);
  await before.close();
  const sendTo = async (secrets: InstallationSecrets, data?: string) => {
    const after = await openInProcessApi(start, { folder: before.dataDir, secrets });
    try {
      return await send(after, data);
    } finally {
      await after.close();
    }
  };
  expect(await sendTo({ ...changed, previous: [first.current] })).toMatchObject({ id });
  const another = { error: 'idempotency_conflict', message: expect.stringContaining('with another request') };
  expect(await sendTo({ ...changed, previous: [first.current] }, 'y')).toMatchObject(another);
  const unknown = { error: 'idempotency_conflict', message: expect.stringContaining('it is not known whether') };
  expect(await sendTo(changed)).toMatchObject(unknown);
  await before.remove();
});
