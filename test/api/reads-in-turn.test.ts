import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { readModels } from '#contracts/names.ts';
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

/** Sends requests, and leaves at the first response. A process, because the system must close its connections. */
const leavingCaller = `
import { request } from 'node:http';
const [url, secret] = process.argv.slice(1);
for (let number = 0; number < 200; number += 1)
  request(url, { agent: false, headers: { authorization: 'Bearer ' + secret } }, () => process.exit()).end();
`;

it('A read does not run if its caller has left', async () => {
  const { secret } = await api.createKey(await api.createAccount());
  const url = `${await api.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1/templates`;
  const reading = vi.spyOn(api.engines.reads, 'find');
  // Authentication reads, too, but no templates.
  const reads = (): number => reading.mock.calls.filter(([collection]) => collection === readModels.templates).length;
  const read = async (): Promise<number> =>
    (await fetch(url, { headers: { authorization: `Bearer ${secret}` } })).status;
  expect([await read(), reads()]).toEqual([200, 1]);
  const caller = spawn(process.execPath, ['--input-type=module', '-e', leavingCaller, url, secret]);
  await once(caller, 'exit');
  const before = reads();
  expect(await read()).toBe(200);
  expect(reads() - before).toBeLessThan(50);
});
