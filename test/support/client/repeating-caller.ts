import type { ApiClient, ApiResponse } from '../client/api-client.ts';

type Usage = { quota: { used: number } };
type Listed = { total: number; templates: { id: string }[] };

/** A caller that renders, creates templates and reads both again. `surprises` are reads that lack its own writes. */
export const createRepeatingCaller = (client: ApiClient) => {
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
    ok(await client.convert('html', `<p>${round}</p>`));
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
