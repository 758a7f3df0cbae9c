import { afterAll, beforeAll, expect, it } from 'vitest';
import { type InProcessApi, openInProcessApi } from '../support/api/in-process-api.ts';

let api: InProcessApi;
beforeAll(async () => void (api = await openInProcessApi('2026-05-03T12:00:00.000Z')));
afterAll(() => api.closeAndRemove());

it('A read does not wait for all reads of another account that came before', async () => {
  const [busy, other] = [
    await api.createKey(await api.createAccount()),
    await api.createKey(await api.createAccount()),
  ];
  const ended: string[] = [];
  const read = async (secret: string): Promise<void> => {
    const { status } = await api.request(secret, 'GET', '/api/v1/usage');
    ended.push(`${secret === other.secret ? 'other' : 'busy'} ${status}`);
  };
  await Promise.all([...Array.from({ length: 200 }, () => read(busy.secret)), read(other.secret)]);
  expect(ended).toHaveLength(201);
  expect(ended.indexOf('other 200')).toBeLessThan(100);
  expect(ended.indexOf('other 200')).toBeGreaterThanOrEqual(0);
});
