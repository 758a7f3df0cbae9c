import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freeKey, issueKey, openAccount } from './accounts.ts';
import { type Answer, type Client, clientOf } from './client.ts';
import { jobsOf, small } from './jobs.ts';
import { expectRefusal } from './refusals.ts';
import { type House, openHouse } from './service.ts';
import { until } from './until.ts';

const held: (() => void)[] = [];
/** Holds every image until the test releases it. */
const site = createServer((_, response) => void held.push(() => void response.writeHead(404).end()));
const port = (): number => (site.address() as AddressInfo).port;
const release = (): void => held.splice(0).forEach((answer) => answer());
/** A document that is under way until `release`. */
const heldDocument = (): string => `<p>held<img src="http://127.0.0.1:${port()}/${Math.random()}.png">`;

let house: House;
beforeAll(async () => {
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  house = await openHouse({ COLOPHON_EGRESS_ALLOW: `127.0.0.1:${port()}`, RENDER_CONCURRENCY: '6' });
});
afterAll(async () => {
  release();
  await house.remove();
  site.close().closeAllConnections();
});

const statusesOf = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status);
const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

test('slow documents of one account leave nothing behind that refuses the renders of another on an idle service, also after a restart', async () => {
  const service = await house.start();
  const slowKey = (await issueKey(house, await openAccount(house, '--plan', 'free', '--requests-per-minute', '100000'), '--type', 'test')).key;
  const otherKey = await freeKey(house);
  const slow = jobsOf(clientOf(service.url, slowKey));
  const jobs = await Promise.all([...many(6, () => slow.later({ wait_time: 5_000 })), slow.later()]);
  for (const { job_id } of jobs) expect(await slow.ended(job_id)).toMatchObject({ status: 'DONE' });
  const rendersAt = async (url: string) => Promise.all(many(18, () => clientOf(url, otherKey).post(small)));
  expect(statusesOf(await rendersAt(service.url))).toEqual(many(18, () => 200));
  expect((await service.end('SIGTERM')).code).toBe(0);
  const restarted = await house.start();
  expect(statusesOf(await rendersAt(restarted.url))).toEqual(many(18, () => 200));
  expect((await restarted.end('SIGTERM')).code).toBe(0);
}, 120_000);

test('a queue of one account, however long, does not refuse the synchronous renders of another', async () => {
  const service = await house.start();
  const crowd = jobsOf(clientOf(service.url, await freeKey(house)));
  const other = clientOf(service.url, await freeKey(house));
  // Each of its renders takes long and many wait, so that the crowd itself learns that its own queue is long.
  const waiting = many(60, () => crowd.postTo('/api/v1/render', { ...small, data: heldDocument() }));
  await until('documents are under way', () => held.length > 0);
  expect(statusesOf(await Promise.all(many(6, () => other.post(small))))).toEqual(many(6, () => 200));
  const releasing = setInterval(release, 20);
  await Promise.all(waiting);
  clearInterval(releasing);
  expect((await service.end('SIGTERM')).code).toBe(0);
}, 120_000);

test('four accounts whose slow documents fill the browsers do not keep a fifth one waiting until they end', async () => {
  const service = await house.start();
  const slow = await Promise.all(many(4, async () => clientOf(service.url, await freeKey(house))));
  const fifth = clientOf(service.url, await freeKey(house));
  let ended = 0;
  const document = () => ({ ...small, data: `${heldDocument()}<script></script>` });
  const post = (client: Client) => client.post(document()).finally(() => (ended += 1));
  const all = slow.flatMap((client) => many(8, () => post(client)));
  await until('every account has a document under way', () => held.length >= 6);
  for (const data of ['<p>static', '<p>scripted<script>document.body.append(1)</script>']) {
    const answer = await fifth.post({ ...small, data });
    expect([answer.status, ended]).toEqual([200, 0]);
  }
  const releasing = setInterval(release, 20);
  await Promise.all(all);
  clearInterval(releasing);
  expect((await service.end('SIGTERM')).code).toBe(0);
}, 120_000);

test('two accounts whose templates truncate a large text again and again do not keep a neighbour from a conversion process', async () => {
  const service = await house.start();
  const greedy = await Promise.all(many(2, async () => clientOf(service.url, await freeKey(house))));
  const neighbour = clientOf(service.url, await freeKey(house));
  const a = 'word '.repeat(1_000_000);
  const post = async (client: Client): Promise<Answer[]> => {
    const created = await jobsOf(client).postTo('/api/v1/templates', { name: 'greedy', content: '{{truncate a 1}}'.repeat(12_000) });
    expect(created.status, created.text).toBe(201);
    return Promise.all(many(4, () => client.post({ mode: 'RENDER', template_id: created.body['id'], data: { a } })));
  };
  const all = Promise.all(greedy.map(post));
  expect(statusesOf([await neighbour.post(small), await neighbour.post(small)])).toEqual([200, 200]);
  for (const answer of (await all).flat()) if (answer.status !== 200) expectRefusal(answer, 'template_render_error');
  expect((await service.end('SIGTERM')).code).toBe(0);
}, 180_000);
