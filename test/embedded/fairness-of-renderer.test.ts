import { expect, test } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiResponse, type ApiClient, createClient } from '../support/client/api-client.ts';
import { createJobClient, smallRequest } from '../support/client/job-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { serviceWithHeldDocuments } from '../support/service/held-documents.ts';
import { waitUntil } from '../support/wait-until.ts';

// Few, because a busy machine may need seconds for each page with scripts. Held documents fail at their time limit.
const concurrency = 2;
const { at, heldDocument, release, heldImages } = serviceWithHeldDocuments(concurrency);

const statusesOf = (responses: readonly ApiResponse[]): number[] => responses.map(({ status }) => status);
const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

test('four accounts whose slow documents fill the browsers do not block the documents of a fifth one', async () => {
  const slow = await Promise.all(
    many(4, async () =>
      createClient(at.service.url, await createUnlimitedKey(at.installation, '--plan', 'enterprise')),
    ),
  );
  const fifth = createClient(at.service.url, await createUnlimitedKey(at.installation, '--plan', 'enterprise'));
  let ended = 0;
  const document = () => ({ ...smallRequest, data: `${heldDocument()}<script></script>` });
  const post = (client: ApiClient) => client.postRender(document()).finally(() => (ended += 1));
  // Without a share for each account, these would use all eight places.
  const all = slow.flatMap((client) => many(3, () => post(client)));
  await waitUntil('they use their shares', () => heldImages() >= 6);
  for (const data of ['<p>static', '<p>scripted<script>document.body.append(1)</script>']) {
    const response = await fifth.postRender({ ...smallRequest, data });
    expect([response.status, ended]).toEqual([200, 0]);
  }
  const releasing = setInterval(release, 20);
  await Promise.all(all);
  clearInterval(releasing);
});

test.each([
  ['without scripts', ''],
  ['with scripts', '<script>1</script>'],
])('many slow documents of one account (%s) do not delay the documents of another', async (_, script) => {
  const [slow, other] = await Promise.all(
    many(2, async () =>
      createClient(at.service.url, await createUnlimitedKey(at.installation, '--plan', 'enterprise')),
    ),
  );
  const jobs = createJobClient(slow!);
  const submitted = await Promise.all(
    many(2 * concurrency, () => jobs.submitAsync({}, { ...smallRequest, data: `${heldDocument()}${script}` })),
  );
  await waitUntil('as many as an account may have are under way', () => heldImages() >= concurrency);
  await other!.render('html', `<p>a small document${script}`);
  expect(heldImages()).toBe(concurrency);
  const releasing = setInterval(release, 20);
  await Promise.all(submitted.map(({ job_id }) => jobs.waitUntilEnded(job_id)));
  clearInterval(releasing);
});

test('previews of one account are refused beyond eight, and do not delay those of another account', async () => {
  const [busy, other] = await Promise.all(
    many(2, async () => createClient(at.service.url, await createUnlimitedKey(at.installation))),
  );
  const preview = (client: ApiClient, content: string) =>
    createJobClient(client).postJson('/api/v1/templates/preview', { content, data: {} });
  const ended: ApiResponse[] = [];
  const all = many(12, async () => ended.push(await preview(busy!, heldDocument())));
  await waitUntil('four are refused', () => ended.length === 4);
  for (const refused of ended) expectErrorResponse(refused, 'concurrency_limit_exceeded', { limit: 8, retry_after: 1 });
  expect((await preview(other!, '<p>mine')).status).toBe(200);
  expect(statusesOf(ended)).not.toContain(200);
  const releasing = setInterval(release, 20);
  await Promise.all(all);
  clearInterval(releasing);
  // On a busy machine, some may have waited too long.
  expect(statusesOf(ended.slice(4))).not.toContain(429);
});
