import { beforeAll, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { serviceForTestFile } from '../support/service/for-test-file.ts';
import { waitUntil } from '../support/wait-until.ts';

const at = serviceForTestFile(() => ({ RENDER_CONCURRENCY: '2' }));
let slow: ApiClient;
let other: ApiClient;
beforeAll(async () => {
  slow = createClient(at.service.url, await createUnlimitedKey(at.installation));
  other = createClient(at.service.url, await createUnlimitedKey(at.installation));
});

it.each([
  ['without scripts', ''],
  ['with scripts', '<script>1</script>'],
])('An account with many slow documents (%s) does not delay the documents of another', async (_, script) => {
  const jobs = await Promise.all(
    Array.from({ length: 6 }, () =>
      slow.request('POST', '/api/v1/render/async', {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ mode: 'CONVERT', input_type: 'html', data: `<p>x${script}`, wait_time: 5000 }),
      }),
    ),
  );
  const statuses = async (): Promise<unknown[]> =>
    Promise.all(
      jobs.map(async ({ body }) => (await slow.request('GET', `/api/v1/jobs/${String(body.job_id)}`)).body.status),
    );
  await waitUntil(
    'two of them are under way',
    async () => (await statuses()).filter((status) => status === 'PROCESSING').length === 2,
  );
  await other.render('html', `<p>a small document${script}`);
  expect(await statuses()).not.toContain('DONE');
});
