import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heavyInputs, refusedInputs } from '../fixtures/bad-input.ts';
import { freeKey } from '../e2e/accounts.ts';
import { type Client, clientOf } from '../e2e/client.ts';
import { expectRefusal } from '../e2e/refusals.ts';
import { serviceForFile } from '../e2e/service.ts';

const at = serviceForFile();
let caller: Client;
let bystander: Promise<string[]>;
const over = new AbortController();

/** Sends small documents one after the other, all the while; resolves with what was wrong with the answers. */
const stroll = async (client: Client): Promise<string[]> => {
  const wrong: string[] = [];
  while (!over.signal.aborted) {
    const answer = await client.convert('html', '<p>a small document</p>');
    if (answer.status !== 200) wrong.push(answer.text.slice(0, 300));
    await turn();
  }
  return wrong;
};

beforeAll(async () => {
  caller = clientOf(at.service.url, await freeKey(at.house));
  bystander = stroll(clientOf(at.service.url, await freeKey(at.house)));
});
afterAll(() => over.abort());

describe('Input that nobody can convert is refused, and says why', () => {
  it.each(refusedInputs)('$what', async ({ refusedAs, request }) => {
    expectRefusal(await caller.post({ mode: 'CONVERT', ...request }), refusedAs);
  });

  it('JSON nested 100,000 deep that stands in the request as it is', async () => {
    const nested = '['.repeat(100_000) + ']'.repeat(100_000);
    expectRefusal(await caller.post(`{"mode":"CONVERT","input_type":"json","data":${nested}}`), 'conversion_failed');
    expectRefusal(await caller.post(`{"mode":"CONVERT","input_type":"html","data":${nested}}`), 'invalid_request', { field: 'data' });
    expectRefusal(await caller.post(nested), 'invalid_request');
  });
});

describe('Input that is heavier than any document is never a failure of the service', () => {
  it.each(heavyInputs)('$what', async ({ request }) => {
    const answer = await caller.post({ mode: 'CONVERT', ...request });
    expect([200, 413, 422], answer.text.slice(0, 300)).toContain(answer.status);
    expect(answer.status === 200 || answer.body.message).toBeTruthy();
  }, 60_000);
});

describe('All the while', () => {
  it('somebody else got every small document', async () => {
    over.abort();
    expect(await bystander).toEqual([]);
  });

  it('the service was the same process, ready, and without a failure of its own', async () => {
    expect((await fetch(`${at.service.url}/health/ready`)).status).toBe(200);
    expect(at.service.said()).not.toMatch(/"level":"(error|fatal)"/);
  });
});
