import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, type Body, createClient } from '../support/client/api-client.ts';
import { createJobClient, smallRequest } from '../support/client/job-client.ts';
import { serviceForTestFile } from '../support/service/for-test-file.ts';
import { waitUntil } from '../support/wait-until.ts';
import { openWebhookReceivers, type WebhookReceivers } from '../support/webhooks/receivers.ts';

const held: (() => void)[] = [];
/** Holds every image until the test releases it. */
const site = createServer(
  (_, response) =>
    void held.push(
      () =>
        void response
          .writeHead(200, { 'content-type': 'image/svg+xml' })
          .end('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'),
    ),
);
const release = (): void => held.splice(0).forEach((send) => send());
const closeSite = (): void => {
  release();
  site.close().closeAllConnections();
};

const html = (data: string): Body => ({ mode: 'CONVERT', input_type: 'html', data });
const small = html('<p>x');
/** A part that is under way until `release`. */
const heldPart = (): Body =>
  html(`<p>held<img src="http://127.0.0.1:${(site.address() as AddressInfo).port}/${Math.random()}.svg">`);
const composed = (...parts: Body[]): Body => ({ mode: 'COMPOSE', parts });

let receivers: WebhookReceivers;
let folder: string;
// Before the service is registered, so that it runs after the service has stopped.
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
const at = serviceForTestFile(async () => {
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  receivers = await openWebhookReceivers();
  folder = await mkdtemp(join(tmpdir(), 'colophon-compose-'));
  // Browsers run as another user.
  await chmod(folder, 0o755);
  return { ...receivers.settings, RENDER_CONCURRENCY: '2', TMPDIR: folder };
});
afterAll(async () => {
  closeSite();
  await receivers.close();
});

let client: ApiClient;
beforeAll(async () => {
  client = createClient(at.service.url, await createUnlimitedKey(at.installation, '--plan', 'enterprise'));
});
const temporaryFolders = async (): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.startsWith('colophon-parts-'));

describe('The job of a composed document', () => {
  it('is done once for each Idempotency-Key, with one callback, and counts its parts once', async () => {
    const own = createClient(at.service.url, await createUnlimitedKey(at.installation, '--plan', 'enterprise'));
    const jobs = createJobClient(own);
    const receiver = await receivers.openReceiver();
    const request = { ...composed(small, html('<p>y')), webhook_url: receiver.url };
    const post = () => jobs.postJson('/api/v1/render/async', request, { 'idempotency-key': 'one' });
    const [first, second] = [await post(), await post()];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body['job_id']).toBe(first.body['job_id']);
    const id = String(first.body['job_id']);
    await jobs.waitUntilJob(id, 'is delivered', ({ webhook_status: status }) => status === 'delivered');
    expect((await post()).body['job_id']).toBe(id);
    expect(receiver.forJob(id).map(({ body }) => [body['status'], body['pages']])).toEqual([['DONE', 2]]);
    const usage = await own.request('GET', '/api/v1/usage');
    expect(usage.body['quota']).toMatchObject({ used: 2 });
  });
});

describe('A composed document whose caller hangs up', () => {
  it('is finished and recorded, as every other render', async () => {
    const hangUp = new AbortController();
    const key = await createUnlimitedKey(at.installation, '--plan', 'enterprise');
    const own = createClient(at.service.url, key);
    const waiting = fetch(`${at.service.url}/api/v1/render`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(composed(heldPart(), small)),
      signal: hangUp.signal,
    });
    await waitUntil('the part is under way', () => held.length > 0);
    hangUp.abort();
    await expect(waiting).rejects.toThrow();
    const releasing = setInterval(release, 20);
    await waitUntil('the render is done', async () => {
      const { body } = await own.request('GET', '/api/v1/renders');
      return (body['renders'] as Body[])[0]?.['status'] === 'DONE';
    });
    clearInterval(releasing);
  });
});

describe('Composed documents of many parts', () => {
  it('do not delay the renders of another account', async () => {
    const other = createClient(at.service.url, await createUnlimitedKey(at.installation, '--plan', 'enterprise'));
    let ended = 0;
    const all = Array.from({ length: 3 }, () =>
      client.postRender(composed(heldPart(), small, small)).finally(() => (ended += 1)),
    );
    await waitUntil('parts are under way', () => held.length > 0);
    expect([(await other.postRender(smallRequest)).status, ended]).toEqual([200, 0]);
    const releasing = setInterval(release, 20);
    const responses = await Promise.all(all);
    clearInterval(releasing);
    expect(responses.map(({ status, body }) => [status, body['pages']])).toEqual(responses.map(() => [200, 3]));
  }, 180_000);
});

describe('The temporary folder of a composed document', () => {
  it('is there while its parts are made, and gone after success and after an error', async () => {
    const succeeding = client.postRender(composed(heldPart(), small));
    await waitUntil('the part is under way', () => held.length > 0);
    expect(await temporaryFolders()).toHaveLength(1);
    const releasing = setInterval(release, 20);
    expect((await succeeding).status).toBe(200);
    clearInterval(releasing);
    expect(await temporaryFolders()).toEqual([]);
    const failing = await client.postRender(composed(small, { mode: 'PDF', data: 'AAAA' }));
    expect(failing.status).toBe(422);
    expect(await temporaryFolders()).toEqual([]);
  });
});
