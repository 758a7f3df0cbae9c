import { afterEach, beforeEach, expect, it } from 'vitest';
import { streams } from '#contracts/names.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import type { BlobRef } from '#contracts/events/blob-ref.ts';
import { EventTooLarge } from '#libs/event-store/port.ts';
import { BlobNotFound } from '#libs/blob-store/port.ts';
import { type InProcessApi, htmlRequest, openInProcessApi } from '../support/api/in-process-api.ts';
import { sha256Of } from '../support/sha256.ts';

let api: InProcessApi;
let secret: string;
beforeEach(async () => {
  api = await openInProcessApi('2026-05-20T12:00:30.000Z');
  secret = (await api.createKey(await api.createAccount('free'))).secret;
});
afterEach(() => api.closeAndRemove());

const webhook = { webhook_url: 'https://example.com/hook', webhook_headers: { Authorization: 'Bearer r5T1v3N0' } };
const requestOnce = async (html = '<p>1</p>', fields: object = {}) => {
  const { statusCode: status, body } = await api.app.inject({
    method: 'POST',
    url: '/api/v1/render/async',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'idempotency-key': 'one' },
    payload: JSON.stringify({ ...htmlRequest, data: html, ...fields }),
  });
  return { status, id: (JSON.parse(body) as { id?: string }).id };
};

/** Makes the next append of a render fail as after a timeout. `land` makes it succeed later. */
const giveUpNextAppend = (): { land(): Promise<unknown> } => {
  const { store } = api.engines;
  const append = store.append.bind(store);
  let land: () => Promise<unknown> = () => Promise.reject(new Error('nothing was appended'));
  store.append = async (stream, ...rest) => {
    if (!stream.startsWith(streams.render(''))) return append(stream, ...rest);
    store.append = append;
    land = () => append(stream, ...rest);
    throw ApiError.of('service_unavailable', 'The event log does not respond.', { retry_after: 2 });
  };
  return { land: () => land() };
};

/** Sends a request with a secret header. Returns its status, and whether its sealed box is stored. */
const requestWithSecret = async (failure: Error | null) => {
  const { store, blobs } = api.engines;
  const append = store.append.bind(store);
  let box = '';
  store.append = async (stream, events, ...rest) => {
    if (!stream.startsWith(streams.render(''))) return append(stream, events, ...rest);
    store.append = append;
    box = (events[0]!.data as unknown as { responseMode: { sealed: BlobRef } }).responseMode.sealed.sha256;
    if (failure) throw failure;
    return append(stream, events, ...rest);
  };
  const { status } = await api.request(secret, 'POST', '/api/v1/render/async', { ...htmlRequest, ...webhook });
  return { status, isStored: await blobs.has(box) };
};

const renderStreams = async (): Promise<Set<string>> => {
  const events = await api.eventLog.store.readAll(0, 1_000);
  return new Set(events.filter(({ type }) => type === 'RenderRequested').map(({ stream }) => stream));
};

it('A request that failed while its append was under way makes one render, also when the append succeeds before the retry', async () => {
  const append = giveUpNextAppend();
  expect((await requestOnce()).status).toBe(503);
  await append.land();
  const retried = await requestOnce();
  expect(retried.status).toBe(200);
  expect(await renderStreams()).toEqual(new Set([streams.render(retried.id!.slice('render_'.length))]));
});

it('A request that failed while its append was under way makes one render, also when the append succeeds after the retry', async () => {
  const append = giveUpNextAppend();
  expect((await requestOnce()).status).toBe(503);
  expect((await requestOnce()).status).toBe(200);
  await expect(append.land()).rejects.toThrow();
  expect((await renderStreams()).size).toBe(1);
});

it('A request that failed while its append was under way makes one render, also when the append succeeds during the retry', async () => {
  // Too large to be stored with its event: the retry stores it first.
  const large = `<p>${'1'.repeat(64 * 1024)}</p>`;
  const append = giveUpNextAppend();
  expect((await requestOnce(large)).status).toBe(503);
  const { store } = api.engines;
  const put = api.engines.blobs.put.bind(api.engines.blobs);
  api.engines.blobs.put = async (bytes) => {
    api.engines.blobs.put = put;
    await append.land();
    return put(bytes);
  };
  expect((await requestOnce(large)).status).toBe(200);
  expect(api.engines.blobs.put).toBe(put);
  expect((await renderStreams()).size).toBe(1);
  expect(await store.read([...(await renderStreams())][0]!)).toHaveLength(1);
});

it('A key whose request failed is free for another request', async () => {
  giveUpNextAppend();
  expect((await requestOnce()).status).toBe(503);
  expect((await requestOnce('<p>2</p>')).status).toBe(200);
});

it('The input of an accepted render is in memory for the renderer', async () => {
  expect((await requestOnce('<p>3</p>')).status).toBe(200);
  api.engines.blobs.get = () => Promise.reject(new Error('read from the blob store'));
  expect(Buffer.from(await api.inputs.get(sha256Of('<p>3</p>'))).toString()).toBe('<p>3</p>');
});

it('The input of a render whose append failed is not in memory, so that a later request stores it', async () => {
  giveUpNextAppend();
  expect((await requestOnce('<p>4</p>')).status).toBe(503);
  await expect(api.inputs.get(sha256Of('<p>4</p>'))).rejects.toThrow(BlobNotFound);
  expect((await requestOnce('<p>4</p>')).status).toBe(200);
  expect(await api.engines.blobs.has(sha256Of('<p>4</p>'))).toBe(true);
});

it('The secrets of a request are stored with its event, so that a process that is killed in between leaves none', async () => {
  expect(await requestWithSecret(new Error('killed'))).toEqual({ status: 500, isStored: false });
  expect(await requestWithSecret(null)).toEqual({ status: 200, isStored: true });
});

it('Secrets that are stored before their event are erased if it is rejected, but not if it may be appended later', async () => {
  api.engines.blobs.maxAppendedBytes = 0;
  expect((await requestWithSecret(new EventTooLarge('RenderRequested', 70_000))).isStored).toBe(false);
  expect((await requestWithSecret(new Error('timeout'))).isStored).toBe(true);
  expect(await requestWithSecret(null)).toEqual({ status: 200, isStored: true });
});

it('The secrets of a request whose earlier append has succeeded are erased, because the event names others', async () => {
  const { blobs } = api.engines;
  blobs.maxAppendedBytes = 0;
  const stored: string[] = [];
  const put = blobs.put.bind(blobs);
  const append = giveUpNextAppend();
  blobs.put = async (bytes) => {
    if (stored.length === 1) await append.land();
    const ref = await put(bytes);
    stored.push(ref.sha256);
    return ref;
  };
  expect((await requestOnce('<p>1</p>', webhook)).status).toBe(503);
  expect((await requestOnce('<p>1</p>', webhook)).status).toBe(200);
  expect(await Promise.all(stored.map((sha256) => blobs.has(sha256)))).toEqual([true, false]);
});
