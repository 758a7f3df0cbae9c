import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { accountSettingsResponse } from '#contracts/http/account.ts';
import { permissions } from '#contracts/events/account.ts';
import { bareId, streams } from '#contracts/names.ts';
import { htmlRequest, type InProcessApi, openInProcessApi } from '../support/api/in-process-api.ts';

let api: InProcessApi;
let accountId: string;
let secret: string;
beforeAll(async () => {
  api = await openInProcessApi('2026-05-20T12:00:30.000Z');
  accountId = await api.createAccount('pro', { requestsPerMinute: 100_000 });
  ({ secret } = await api.createKey(accountId));
});
afterAll(() => api.closeAndRemove());

const path = '/api/v1/account/settings';
const change = (body: unknown) => api.request(secret, 'PUT', path, body);
const requestedBy = async (fields: object = {}) => {
  const { body } = await api.request(secret, 'POST', '/api/v1/render/async', { ...htmlRequest, ...fields });
  const [requested] = await api.engines.store.read(streams.render(bareId('render', body.id as unknown as string)!));
  return requested!.type === 'RenderRequested' ? requested!.data : null;
};

describe('The settings of an account', () => {
  it('are the defaults of the service at first, with what the operator allows', async () => {
    const { status, body } = await api.request(secret, 'GET', path);
    expect(status).toBe(200);
    expect(accountSettingsResponse.parse(body)).toEqual({
      name: 'tests',
      locale: null,
      time_zone: null,
      pdf_retention_minutes: null,
      pdf_retention: { applied_minutes: 60, default_minutes: 60, min_minutes: 10, max_minutes: 10_080 },
      egress: {
        setting: 'COLOPHON_EGRESS_ALLOW',
        allowed: ['intranet.example', '10.0.0.0/8'],
        has_own_authorities: false,
      },
    });
  });

  it('change field by field, for the next request, and are in the history with their actor', async () => {
    expect((await change({ name: ' Paper Mill ', locale: 'de-at' })).body).toMatchObject({
      name: 'Paper Mill',
      locale: 'de-AT',
      time_zone: null,
    });
    expect((await change({ time_zone: 'Europe/Vienna' })).body).toMatchObject({ locale: 'de-AT' });
    expect((await api.request(secret, 'GET', path)).body).toMatchObject({ time_zone: 'Europe/Vienna' });
    expect((await api.request(secret, 'GET', '/api/v1/account')).body).toMatchObject({ name: 'Paper Mill' });
    const { body } = await api.request(secret, 'GET', '/api/v1/account/events');
    const events = body['events'] as unknown as { type: string; data: unknown; actor: unknown }[];
    expect(events.slice(0, 3).map(({ type, data }) => ({ type, data }))).toEqual([
      {
        type: 'AccountSettingsChanged',
        data: { locale: 'de-AT', time_zone: 'Europe/Vienna', pdf_retention_minutes: null },
      },
      { type: 'AccountSettingsChanged', data: { locale: 'de-AT', time_zone: null, pdf_retention_minutes: null } },
      { type: 'AccountRenamed', data: { name: 'Paper Mill' } },
    ]);
    expect(events[0]!.actor).toMatchObject({ kind: 'key' });
    const before = body['total'];
    expect((await change({ name: 'Paper Mill', locale: 'de-AT' })).status).toBe(200);
    expect((await api.request(secret, 'GET', '/api/v1/account/events')).body['total']).toBe(before);
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ name: 'two\nlines' }, 'name'],
    [{ locale: 'xx-nowhere' }, 'locale'],
    [{ time_zone: '+01:00' }, 'time_zone'],
    [{ pdf_retention_minutes: 9 }, 'pdf_retention_minutes'],
    [{ pdf_retention_minutes: 10_081 }, 'pdf_retention_minutes'],
    [{ pdf_retention_minutes: 10.5 }, 'pdf_retention_minutes'],
    [{ plan: 'enterprise' }, 'plan'],
  ])('refuse %j', async (body, field) => {
    expect((await change(body)).body).toMatchObject({ error: 'invalid_request', field });
  });

  it('are all changed by many requests at once', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `name ${index}`);
    const responses = await Promise.all(names.map((name) => change({ name })));
    expect(responses.map(({ status }) => status)).toEqual(names.map(() => 200));
    await change({ name: 'tests' });
  });

  it('are in the response to a change, also if the read models are late', async () => {
    const { reads } = api.engines;
    const late = vi.spyOn(reads, 'waitForCheckpoint').mockResolvedValue(false);
    const changed = await change({ locale: 'fi' });
    late.mockRestore();
    expect([changed.status, changed.body]).toMatchObject([200, { locale: 'fi' }]);
    await change({ locale: null });
  });

  it('need account:write to change, and usage:read to read', async () => {
    const without = async (...missing: string[]) =>
      (await api.createKey(accountId, { permissions: permissions.filter((one) => !missing.includes(one)) })).secret;
    expect((await api.request(await without('account:write'), 'PUT', path, { locale: 'en' })).body).toMatchObject({
      error: 'insufficient_permissions',
      required_permission: 'account:write',
    });
    expect((await api.request(await without('usage:read'), 'GET', path)).status).toBe(403);
  });
});

describe('A render', () => {
  it('records the settings that it does not name itself', async () => {
    await change({ locale: 'de-AT', time_zone: 'Europe/Vienna', pdf_retention_minutes: 1440 });
    expect(await requestedBy()).toMatchObject({
      accountDefaults: { locale: 'de-AT', timeZone: 'Europe/Vienna' },
      pdfRetentionMinutes: 1440,
    });
    expect(await requestedBy({ locale: 'fr' })).toMatchObject({
      options: { locale: 'fr' },
      accountDefaults: { timeZone: 'Europe/Vienna' },
    });
    expect(await requestedBy({ locale: 'fr', time_zone: 'UTC' })).not.toHaveProperty('accountDefaults');
  });

  it('records nothing of an account without settings', async () => {
    await change({ locale: null, time_zone: null, pdf_retention_minutes: null });
    const requested = await requestedBy();
    expect(requested).not.toHaveProperty('accountDefaults');
    expect(requested).not.toHaveProperty('pdfRetentionMinutes');
  });

  it('that is repeated has the settings of the first one', async () => {
    await change({ locale: 'it', pdf_retention_minutes: 30 });
    const { body } = await api.request(secret, 'POST', '/api/v1/render/async', htmlRequest);
    await change({ locale: 'pl', pdf_retention_minutes: 20 });
    const repeated = await api.request(secret, 'POST', `/api/v1/renders/${String(body['id'])}/repeat`);
    const [requested] = await api.engines.store.read(streams.render(bareId('render', String(repeated.body['id']))!));
    expect(requested!.data).toMatchObject({ accountDefaults: { locale: 'it' }, pdfRetentionMinutes: 20 });
  });
});
