import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { issueKey, openAccount } from '../support/service/accounts.ts';
import { createClient } from '../support/client/api-client.ts';
import { createJobClient, smallRequest } from '../support/client/job-client.ts';
import { type TestInstallation, openTestInstallation, type RunningService } from '../support/service/installation.ts';
import { waitUntil } from '../support/wait-until.ts';
import { parseExposition } from '../support/telemetry/exposition.ts';
import { type ScriptTracker, openScriptTracker } from '../support/documents/script-tracker.ts';
import { openWriteLimitedDisk, mountSmallDisk, type TestDisk } from '../support/disk/test-disk.ts';

const smallDisk = await mountSmallDisk();
const limitedDisk = openWriteLimitedDisk();

let installation: TestInstallation;
let service: RunningService;
let scriptTracker: ScriptTracker;
beforeAll(async () => {
  scriptTracker = await openScriptTracker();
  installation = await openTestInstallation({
    ...smallDisk?.settings,
    ...limitedDisk.settings,
    COLOPHON_EGRESS_ALLOW: scriptTracker.host,
  });
  service = await installation.start();
});
afterAll(async () => {
  try {
    await stop();
  } finally {
    await installation.remove();
    await smallDisk?.remove();
    scriptTracker.close();
  }
});

const stop = async (): Promise<void> => expect((await service.stop('SIGTERM')).code).toBe(0);
const readiness = async ({ url }: RunningService): Promise<string> => {
  const response = await fetch(`${url}/health/ready`);
  return `${response.status} ${((await response.json()) as { missing?: string[] }).missing?.join(' ') ?? ''}`;
};
const countPrinted = async ({ url }: RunningService): Promise<number> => {
  const samples = parseExposition(await (await fetch(`${url}/metrics`)).text());
  return samples
    .filter(({ metric }) => metric === 'colophon_browser_documents_printed')
    .reduce((sum, { value }) => sum + value, 0);
};
const json = { 'content-type': 'application/json' };
const remaining = ({ headers }: { headers: Headers }): number => Number(headers.get('x-ratelimit-remaining'));

const reset = ({ headers }: { headers: Headers }): string => headers.get('x-ratelimit-reset')!;

// Either the check of the disk finds it first, or a write.
const disks: { name: string; disk: Omit<TestDisk, 'remove'>; problem: RegExp }[] = [
  ...(smallDisk === null ? [] : [{ name: 'that is full', disk: smallDisk, problem: /is full/ }]),
  { name: 'that cannot be written', disk: limitedDisk, problem: /cannot be written/ },
];

describe.each(disks)('A disk $name', ({ disk, problem }) => {
  it('makes the service refuse new work, and only that, until the disk is free again', async () => {
    const account = await openAccount(installation, '--requests-per-minute', '1000', '--requests-per-month', '1000');
    const { key } = await issueKey(installation, account);
    const client = createClient(service.url, key);
    const jobs = createJobClient(client);
    const { id: template } = (
      await client.request('POST', '/api/v1/templates', {
        body: JSON.stringify({ name: 'one', content: '<p>{{x}}</p>' }),
        headers: json,
      })
    ).body as { id: string };
    const before = await jobs.submitAsync();
    await jobs.waitUntilEnded(before.job_id);
    const documents = await countPrinted(service);
    // Accepted before the disk is full and printed while it is: the result can only be written afterwards.
    const name = `held-${account}`;
    const held = await jobs.submitAsync({}, { ...smallRequest, data: scriptTracker.heldImage(name) });
    await scriptTracker.waitUntilHeld(name);
    disk.fill(service);
    onTestFinished(() => disk.free(service));
    scriptTracker.release(name);

    const writes: [string, string, object][] = [
      ['POST', '/api/v1/render', { mode: 'CONVERT', input_type: 'html', data: '<p>sync</p>' }],
      ['POST', '/api/v1/render/async', { mode: 'CONVERT', input_type: 'html', data: '<p>async</p>' }],
      ['POST', '/api/v1/templates', { name: 'two', content: '<p>two</p>' }],
      ['PUT', `/api/v1/templates/${template}`, { name: 'one', content: '<p>other</p>' }],
    ];
    for (const [method, path, body] of writes) {
      const {
        status,
        headers,
        body: responseBody,
      } = await client.request(method, path, { body: JSON.stringify(body), headers: json });
      expect([path, status, responseBody.error, headers.get('retry-after')]).toEqual([
        path,
        503,
        'service_unavailable',
        '10',
      ]);
    }
    expect((await client.request('DELETE', `/api/v1/templates/${template}`)).status).toBe(503);
    expect(await readiness(service)).toMatch(problem);
    const reads = [
      '/templates',
      `/templates/${template}`,
      '/jobs',
      `/jobs/${before.job_id}`,
      `/jobs/${before.job_id}/events`,
      '/usage',
      '/account',
      '/account/events',
      `/download/${before.id}`,
    ];
    const responses = await waitUntil('all are answered within one minute of the rate limit', async () => {
      const answers = [];
      for (const path of reads) answers.push(await client.request('GET', `/api/v1${path}`));
      return reset(answers[0]!) === reset(answers.at(-1)!) && answers;
    });
    expect(responses.map(({ status }, index) => `${reads[index]} ${status}`)).toEqual(
      reads.map((path) => `${path} 200`),
    );
    // Reads are counted even when the counters cannot be written.
    expect(remaining(responses[0]!) - remaining(responses.at(-1)!)).toBe(reads.length - 1);
    await waitUntil('the held document is printed', async () => (await countPrinted(service)) > documents);
    expect(await readiness(service)).toMatch(/^503/);

    disk.free(service);
    await waitUntil('the service is ready', async () => (await readiness(service)).startsWith('200'));
    expect((await jobs.waitUntilEnded(held.job_id)).status).toBe('DONE');
    expect((await jobs.events(held.job_id)).filter(({ type }) => type === 'RenderStarted')).toHaveLength(1);
    await client.render('html', '<p>again</p>');
    expect((await jobs.waitUntilEnded((await jobs.submitAsync()).job_id)).status).toBe('DONE');
  });
});
