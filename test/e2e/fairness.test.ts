import { expect, test } from 'vitest';
import { createUnlimitedKey, issueKey, openAccount } from '../support/service/accounts.ts';
import { type ApiResponse, createClient } from '../support/client/api-client.ts';
import { createJobClient, smallRequest } from '../support/client/job-client.ts';
import { serviceWithHeldDocuments } from '../support/service/held-documents.ts';
import { waitUntil } from '../support/wait-until.ts';

const { at, heldDocument, release, heldImages } = serviceWithHeldDocuments(6);

const statusesOf = (responses: readonly ApiResponse[]): number[] => responses.map(({ status }) => status);
const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

test('after slow documents of one account, an idle service accepts the renders of another, also after a restart', async () => {
  const slowKey = (
    await issueKey(
      at.installation,
      await openAccount(at.installation, '--plan', 'free', '--requests-per-minute', '100000'),
      '--type',
      'test',
    )
  ).key;
  const otherKey = await createUnlimitedKey(at.installation);
  const slow = createJobClient(createClient(at.service.url, slowKey));
  const jobs = await Promise.all([...many(6, () => slow.submitAsync({ wait_time: 5_000 })), slow.submitAsync()]);
  for (const { job_id } of jobs) expect(await slow.waitUntilEnded(job_id)).toMatchObject({ status: 'DONE' });
  const rendersAt = async (url: string) =>
    Promise.all(many(18, () => createClient(url, otherKey).postRender(smallRequest)));
  expect(statusesOf(await rendersAt(at.service.url))).toEqual(many(18, () => 200));
  expect((await at.service.stop('SIGTERM')).code).toBe(0);
  at.service = await at.installation.start();
  expect(statusesOf(await rendersAt(at.service.url))).toEqual(many(18, () => 200));
});

test('a long queue of one account does not reject the synchronous renders of another', async () => {
  const crowd = createJobClient(createClient(at.service.url, await createUnlimitedKey(at.installation)));
  const other = createClient(at.service.url, await createUnlimitedKey(at.installation));
  // Each of these renders takes long and many wait, so the queue of this account is long.
  const waiting = many(60, () => crowd.postJson('/api/v1/render', { ...smallRequest, data: heldDocument() }));
  await waitUntil('documents are under way', () => heldImages() > 0);
  expect(statusesOf(await Promise.all(many(6, () => other.postRender(smallRequest))))).toEqual(many(6, () => 200));
  const releasing = setInterval(release, 20);
  await Promise.all(waiting);
  clearInterval(releasing);
});
