import { beforeAll, expect, it } from 'vitest';
import { freeKey } from './accounts.ts';
import { type Client, clientOf } from './client.ts';
import { serviceForFile } from './service.ts';
import { until } from './until.ts';

const at = serviceForFile(() => ({ RENDER_CONCURRENCY: '2' }));
let patient: Client;
let other: Client;
beforeAll(async () => {
  patient = clientOf(at.service.url, await freeKey(at.house));
  other = clientOf(at.service.url, await freeKey(at.house));
});

it.each([['without scripts', ''], ['with scripts', '<script>1</script>']])('Somebody who has many documents wait in the browser (%s) does not keep others waiting', async (_, script) => {
  const jobs = await Promise.all(
    Array.from({ length: 6 }, () =>
      patient.ask('POST', '/api/v1/render/async', { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ mode: 'CONVERT', input_type: 'html', data: `<p>x${script}`, wait_time: 5000 }) }),
    ),
  );
  const statuses = async (): Promise<unknown[]> => Promise.all(jobs.map(async ({ body }) => (await patient.ask('GET', `/api/v1/jobs/${String(body.job_id)}`)).body.status));
  await until('two of them are under way', async () => (await statuses()).filter((status) => status === 'PROCESSING').length === 2);
  await other.render('html', `<p>a small document${script}`);
  expect(await statuses()).not.toContain('DONE');
});
