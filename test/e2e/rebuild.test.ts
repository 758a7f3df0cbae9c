import { describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiResponse, type ApiClient, createClient } from '../support/client/api-client.ts';
import { serviceForTestFile } from '../support/service/for-test-file.ts';

type Usage = { quota: { used: number } };
type Listed = { total: number; templates: { id: string }[] };

/** Sends requests in a loop and checks each response. */
const callerOf = (client: ApiClient, count: number) => {
  const refusals: ApiResponse[] = [];
  const surprises: string[] = [];
  const ok = (response: ApiResponse, status = 200): ApiResponse => {
    if (response.status !== status) refusals.push(response);
    return response;
  };
  const see = (path: string): Promise<ApiResponse> => client.request('GET', path);
  let [renders, templates, round] = [0, 0, 0];

  const turn = async (): Promise<void> => {
    round += 1;
    ok(await client.convert('html', `<p>${count}/${round}</p>`));
    renders += 1;
    const { quota } = ok(await see('/api/v1/usage')).body as unknown as Partial<Usage>;
    if (quota?.used !== renders) surprises.push(`${quota?.used} renders instead of ${renders}`);

    const body = JSON.stringify({ name: `template ${round}`, content: '<p>{{x}}</p>' });
    const { id } = ok(
      await client.request('POST', '/api/v1/templates', { body, headers: { 'content-type': 'application/json' } }),
      201,
    ).body as { id: string };
    templates += 1;
    const listed = ok(await see('/api/v1/templates?limit=100')).body as unknown as Partial<Listed>;
    if (listed.total !== templates || !listed.templates?.some((one) => one.id === id))
      surprises.push(`${listed.total} templates instead of ${templates}`);
    ok(await client.postRender({ mode: 'RENDER', template_id: id, data: { x: 1 } }));
    renders += 1;
    if (round % 2 === 0) {
      ok(await client.request('DELETE', `/api/v1/templates/${id}`), 204);
      templates -= 1;
      ok(await see(`/api/v1/templates/${id}`), 404);
    }
  };
  return { turn, refusals, surprises, rounds: () => round };
};

describe('A rebuild of the read models during requests', () => {
  const at = serviceForTestFile();

  it('fails no request, and every caller reads its own writes', async () => {
    // The other plans limit the number of templates.
    const createCaller = async (): Promise<ApiClient> =>
      createClient(at.service.url, await createUnlimitedKey(at.installation, '--plan', 'enterprise'));
    const callers = await Promise.all([1, 2, 3].map(async (count) => callerOf(await createCaller(), count)));
    let over = false;
    const calling = callers.map(async ({ turn }) => {
      while (!over) await turn();
    });
    try {
      await at.installation.runJsonCommand('rebuild');
      const both = await Promise.all([at.installation.runProcess('rebuild'), at.installation.runProcess('rebuild')]);
      const refused = both.filter(({ code }) => code !== 0);
      expect(refused.length).toBeLessThan(2);
      for (const { stderr } of refused) expect(stderr).toMatch(/another rebuild of \w+ was started later/);
    } finally {
      over = true;
      await Promise.all(calling);
    }
    for (const caller of callers) {
      await caller.turn();
      expect(caller.rounds()).toBeGreaterThan(1);
      expect(caller.refusals.map(({ status, text }) => `${status} ${text}`)).toEqual([]);
      expect(caller.surprises).toEqual([]);
    }
  });
});
