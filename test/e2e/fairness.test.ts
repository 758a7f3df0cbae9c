import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUnlimitedKey, issueKey, openAccount } from '../support/service/accounts.ts';
import { type ApiResponse, type ApiClient, createClient } from '../support/client/api-client.ts';
import { createJobClient, smallRequest } from '../support/client/job-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { type TestInstallation, openTestInstallation } from '../support/service/installation.ts';
import { waitUntil } from '../support/wait-until.ts';

const held: (() => void)[] = [];
/** Holds every image until the test releases it. */
const site = createServer((_, response) => void held.push(() => void response.writeHead(404).end()));
const port = (): number => (site.address() as AddressInfo).port;
const release = (): void => held.splice(0).forEach((send) => send());
/** A document that is under way until `release`. */
const heldDocument = (): string => `<p>held<img src="http://127.0.0.1:${port()}/${Math.random()}.png">`;

let installation: TestInstallation;
beforeAll(async () => {
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  installation = await openTestInstallation({ COLOPHON_EGRESS_ALLOW: `127.0.0.1:${port()}`, RENDER_CONCURRENCY: '6' });
});
afterAll(async () => {
  release();
  await installation.remove();
  site.close().closeAllConnections();
});

const statusesOf = (responses: readonly ApiResponse[]): number[] => responses.map(({ status }) => status);
const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

test('after slow documents of one account, an idle service accepts the renders of another, also after a restart', async () => {
  const service = await installation.start();
  const slowKey = (
    await issueKey(
      installation,
      await openAccount(installation, '--plan', 'free', '--requests-per-minute', '100000'),
      '--type',
      'test',
    )
  ).key;
  const otherKey = await createUnlimitedKey(installation);
  const slow = createJobClient(createClient(service.url, slowKey));
  const jobs = await Promise.all([...many(6, () => slow.submitAsync({ wait_time: 5_000 })), slow.submitAsync()]);
  for (const { job_id } of jobs) expect(await slow.waitUntilEnded(job_id)).toMatchObject({ status: 'DONE' });
  const rendersAt = async (url: string) =>
    Promise.all(many(18, () => createClient(url, otherKey).postRender(smallRequest)));
  expect(statusesOf(await rendersAt(service.url))).toEqual(many(18, () => 200));
  expect((await service.stop('SIGTERM')).code).toBe(0);
  const restarted = await installation.start();
  expect(statusesOf(await rendersAt(restarted.url))).toEqual(many(18, () => 200));
  expect((await restarted.stop('SIGTERM')).code).toBe(0);
}, 120_000);

test('a long queue of one account does not reject the synchronous renders of another', async () => {
  const service = await installation.start();
  const crowd = createJobClient(createClient(service.url, await createUnlimitedKey(installation)));
  const other = createClient(service.url, await createUnlimitedKey(installation));
  // Each of its renders takes long and many wait, so that the crowd itself learns that its own queue is long.
  const waiting = many(60, () => crowd.postJson('/api/v1/render', { ...smallRequest, data: heldDocument() }));
  await waitUntil('documents are under way', () => held.length > 0);
  expect(statusesOf(await Promise.all(many(6, () => other.postRender(smallRequest))))).toEqual(many(6, () => 200));
  const releasing = setInterval(release, 20);
  await Promise.all(waiting);
  clearInterval(releasing);
  expect((await service.stop('SIGTERM')).code).toBe(0);
}, 120_000);

test('four accounts whose slow documents fill the browsers do not keep a fifth one waiting until they end', async () => {
  const service = await installation.start();
  const slow = await Promise.all(
    many(4, async () => createClient(service.url, await createUnlimitedKey(installation))),
  );
  const fifth = createClient(service.url, await createUnlimitedKey(installation));
  let ended = 0;
  const document = () => ({ ...smallRequest, data: `${heldDocument()}<script></script>` });
  const post = (client: ApiClient) => client.postRender(document()).finally(() => (ended += 1));
  const all = slow.flatMap((client) => many(8, () => post(client)));
  await waitUntil('every account has a document under way', () => held.length >= 6);
  for (const data of ['<p>static', '<p>scripted<script>document.body.append(1)</script>']) {
    const response = await fifth.postRender({ ...smallRequest, data });
    expect([response.status, ended]).toEqual([200, 0]);
  }
  const releasing = setInterval(release, 20);
  await Promise.all(all);
  clearInterval(releasing);
  expect((await service.stop('SIGTERM')).code).toBe(0);
}, 120_000);

test('two accounts whose templates truncate a large text again and again do not keep a neighbour from a conversion process', async () => {
  const service = await installation.start();
  const greedy = await Promise.all(
    many(2, async () => createClient(service.url, await createUnlimitedKey(installation))),
  );
  const neighbour = createClient(service.url, await createUnlimitedKey(installation));
  const a = 'word '.repeat(1_000_000);
  const post = async (client: ApiClient): Promise<ApiResponse[]> => {
    const created = await createJobClient(client).postJson('/api/v1/templates', {
      name: 'greedy',
      content: '{{truncate a 1}}'.repeat(12_000),
    });
    expect(created.status, created.text).toBe(201);
    return Promise.all(
      many(4, () => client.postRender({ mode: 'RENDER', template_id: created.body['id'], data: { a } })),
    );
  };
  const all = Promise.all(greedy.map(post));
  expect(statusesOf([await neighbour.postRender(smallRequest), await neighbour.postRender(smallRequest)])).toEqual([
    200, 200,
  ]);
  for (const response of (await all).flat())
    if (response.status !== 200) expectErrorResponse(response, 'template_render_error');
  expect((await service.stop('SIGTERM')).code).toBe(0);
}, 180_000);
