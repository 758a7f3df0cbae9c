import { afterEach, beforeEach, expect, it } from 'vitest';
import { BlobNotFound } from '#libs/blob-store/port.ts';
import { htmlRequest, type InProcessApi, openInProcessApi } from '../support/api/in-process-api.ts';
import { sha256Of } from '../support/sha256.ts';

let api: InProcessApi;
let secret: string;
beforeEach(async () => {
  api = await openInProcessApi('2026-05-20T12:00:30.000Z');
  secret = (await api.createKey(await api.createAccount('free'))).secret;
});
afterEach(async () => {
  await api.close();
  await api.remove();
});

const html = '<p>cached</p>';
const submit = async (): Promise<number> =>
  (
    await api.app.inject({
      method: 'POST',
      url: '/api/v1/render/async',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      payload: JSON.stringify({ ...htmlRequest, data: html }),
    })
  ).statusCode;

it('The input of an accepted render is in memory for the renderer', async () => {
  expect(await submit()).toBe(200);
  api.engines.blobs.get = () => Promise.reject(new Error('read from the blob store'));
  expect(Buffer.from(await api.inputs.get(sha256Of(html))).toString()).toBe(html);
});

it('The input of a render that could not be appended is not in memory, so that a later request stores it', async () => {
  const { store } = api.engines;
  const append = store.append.bind(store);
  store.append = () => Promise.reject(new Error('the disk is full'));
  expect(await submit()).toBe(500);
  await expect(api.inputs.get(sha256Of(html))).rejects.toThrow(BlobNotFound);
  store.append = append;
  expect(await submit()).toBe(200);
  expect(await api.engines.blobs.has(sha256Of(html))).toBe(true);
});
