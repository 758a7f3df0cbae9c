import { describe, expect, it } from 'vitest';
import { freeKey } from './accounts.ts';
import { type Answer, type Client, clientOf } from './client.ts';
import { serviceForFile } from './service.ts';

type Usage = { quota: { used: number } };
type Listed = { total: number; templates: { id: string }[] };

/** What a caller does all the time, with what they may expect of each answer. */
const callerOf = (client: Client, count: number) => {
  const refusals: Answer[] = [];
  const surprises: string[] = [];
  const ok = (answer: Answer, status = 200): Answer => {
    if (answer.status !== status) refusals.push(answer);
    return answer;
  };
  let [renders, templates, round] = [0, 0, 0];

  const turn = async (): Promise<void> => {
    round += 1;
    ok(await client.convert('html', `<p>${count}/${round}</p>`));
    renders += 1;
    const { quota } = ok(await client.ask('GET', '/api/v1/usage')).body as unknown as Usage;
    if (quota.used !== renders) surprises.push(`${quota.used} renders instead of ${renders}`);

    const body = JSON.stringify({ name: `template ${round}`, content: '<p>{{x}}</p>' });
    const { id } = ok(await client.ask('POST', '/api/v1/templates', { body, headers: { 'content-type': 'application/json' } }), 201).body as { id: string };
    templates += 1;
    const listed = ok(await client.ask('GET', '/api/v1/templates?limit=100')).body as unknown as Listed;
    if (listed.total !== templates || !listed.templates.some((one) => one.id === id)) surprises.push(`${listed.total} templates instead of ${templates}`);
    ok(await client.post({ mode: 'RENDER', template_id: id, data: { x: 1 } }));
    renders += 1;
    if (round % 2 === 0) {
      ok(await client.ask('DELETE', `/api/v1/templates/${id}`), 204);
      templates -= 1;
      ok(await client.ask('GET', `/api/v1/templates/${id}`), 404);
    }
  };
  return { turn, refusals, surprises, rounds: () => round };
};

describe('Rebuilding the read models while callers are served', () => {
  const at = serviceForFile();

  it('loses no request, and shows every caller what they have done, all the while', async () => {
    const callers = await Promise.all([1, 2, 3].map(async (count) => callerOf(clientOf(at.service.url, await freeKey(at.house)), count)));
    let over = false;
    const calling = callers.map(async ({ turn }) => {
      while (!over) await turn();
    });
    try {
      for (let time = 0; time < 3; time += 1) await at.house.colophon('rebuild');
    } finally {
      over = true;
      await Promise.all(calling);
    }
    for (const caller of callers) {
      await caller.turn();
      expect(caller.rounds()).toBeGreaterThan(3);
      expect(caller.refusals.map(({ status, text }) => `${status} ${text}`)).toEqual([]);
      expect(caller.surprises).toEqual([]);
    }
  }, 120_000);
});
