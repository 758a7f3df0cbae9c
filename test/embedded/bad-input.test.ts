import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heavyInputs, refusedInputs } from '../fixtures/bad-input.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { serviceForTestFile } from '../support/service/for-test-file.ts';

const at = serviceForTestFile();
let caller: ApiClient;
let otherAccount: Promise<string[]>;
const over = new AbortController();

/** Without a pause, these documents alone would keep a processor busy. */
const intervalMs = 500;

/** Sends small documents until `over`. Returns the failed responses. */
const renderSmallDocuments = async (client: ApiClient): Promise<string[]> => {
  const wrong: string[] = [];
  while (!over.signal.aborted) {
    const response = await client.convert('html', '<p>a small document</p>');
    if (response.status !== 200) wrong.push(response.text.slice(0, 300));
    await pause(intervalMs);
  }
  return wrong;
};

beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
  otherAccount = renderSmallDocuments(createClient(at.service.url, await createUnlimitedKey(at.installation)));
});
afterAll(() => over.abort());

describe('Input that cannot be converted is rejected with the reason:', () => {
  it.each(refusedInputs)('$what', async ({ refusedAs, request }) => {
    expectErrorResponse(await caller.postRender({ mode: 'CONVERT', ...request }), refusedAs);
  });

  it('JSON nested 100,000 levels deep in the request body', async () => {
    const nested = '['.repeat(100_000) + ']'.repeat(100_000);
    expectErrorResponse(
      await caller.postRender(`{"mode":"CONVERT","input_type":"json","data":${nested}}`),
      'conversion_failed',
    );
    expectErrorResponse(
      await caller.postRender(`{"mode":"CONVERT","input_type":"html","data":${nested}}`),
      'invalid_request',
      { field: 'data' },
    );
    expectErrorResponse(await caller.postRender(nested), 'invalid_request');
  });
});

describe('Very large input never causes an internal error:', () => {
  it.each(heavyInputs)('$what', async ({ request }) => {
    const response = await caller.postRender({ mode: 'CONVERT', ...request });
    expect([200, 413, 422], response.text.slice(0, 300)).toContain(response.status);
    expect(response.status === 200 || response.body.message).toBeTruthy();
  });
});

describe('During bad input of one account', () => {
  it('another account got every small document', async () => {
    over.abort();
    expect(await otherAccount).toEqual([]);
  });

  it('the service stayed ready and logged no error', async () => {
    expect((await fetch(`${at.service.url}/health/ready`)).status).toBe(200);
    expect(at.service.output()).not.toMatch(/"level":"(error|fatal)"/);
  });
});
