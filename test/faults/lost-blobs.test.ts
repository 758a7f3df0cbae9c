import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TemplateBody } from '#contracts/events/template.ts';
import type { RenderSource } from '#contracts/events/render.ts';
import { freeKey } from '../e2e/accounts.ts';
import { type Client, clientOf } from '../e2e/client.ts';
import { lookInto } from '../e2e/engines.ts';
import { jobsOf } from '../e2e/jobs.ts';
import { expectRefusal } from '../e2e/refusals.ts';
import { type House, openHouse, type Service } from '../e2e/service.ts';
import { areServersThere, openProduction } from '../e2e/world.ts';
import { until } from '../e2e/until.ts';
import { storiesIn, typesOf } from './renders.ts';

let house: House;
let key: string;
beforeEach(async () => {
  house = await openHouse();
  key = await freeKey(house);
});
afterEach(() => house.remove());

const callerOf = ({ url }: Service): Client => clientOf(url, key);

const missingOf = async ({ url }: Service): Promise<string> => {
  const { missing = [] } = (await (await fetch(`${url}/health/ready`)).json()) as { missing?: string[] };
  return missing.join();
};

/** Takes a blob away behind the back of the service; gives what puts it back. */
const take = (sha256: string) =>
  lookInto(house, async ({ blobs }) => {
    const bytes = await blobs.get(sha256);
    await blobs.delete(sha256);
    return () => lookInto(house, async (engines) => void (await engines.blobs.put(bytes)));
  });

const linesOf = (service: Service, message: string): Record<string, unknown>[] =>
  service.said().split('\n').filter((line) => line.includes(message)).map((line) => JSON.parse(line) as Record<string, unknown>);

describe('A blob that the event log names and the blob store lacks', () => {
  it.skipIf(!areServersThere)('makes the process not ready and costs no document an attempt; both go on by themselves when it is back', async () => {
    await house.remove();
    house = await openHouse({}, await openProduction());
    key = await freeKey(house);
    const front = await house.start('api', 'relay', 'projector');
    const jobs = jobsOf(callerOf(front));
    const [lost, other] = [await jobs.later({}, { mode: 'CONVERT', input_type: 'html', data: '<p>lost for a while' }), await jobs.later()];
    const story = (await storiesIn(house)).get(lost.id.replace('_', '-'))!;
    const { input } = (story[0]!.data as { source: Extract<RenderSource, { mode: 'CONVERT' }> }).source;
    const putBack = await take(input.sha256);

    const renderer = await house.startUnready('renderer');
    expect((await jobs.ended(other.job_id)).status).toBe('DONE');
    await until('the blob store is named', async () => (await missingOf(renderer)).includes('BLOB_STORE_URL'));
    expect(await missingOf(renderer)).toContain(input.sha256);
    await putBack();
    await until('the renderer is ready', async () => (await fetch(`${renderer.url}/health/ready`)).status === 200);
    expect((await jobs.ended(lost.job_id)).status).toBe('DONE');
    expect(typesOf((await storiesIn(house)).get(lost.id.replace('_', '-'))!)).toEqual(['RenderRequested', 'RenderStarted', 'RenderCompleted']);
    expect(linesOf(renderer, 'a render could not be worked on').filter(({ times }) => times === undefined)).toHaveLength(1);
    for (const service of [front, renderer]) expect((await service.end('SIGTERM')).code).toBe(0);
  }, 120_000);

  it('is no server error to callers: they are told to come again', async () => {
    let service = await house.start();
    const created = await callerOf(service).ask('POST', '/api/v1/templates', { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ name: 'T', content: '<p>unique {{x}}', category: 'other' }) });
    expect(created.status, created.text).toBe(201);
    const path = `/api/v1/templates/${String(created.body['id'])}`;
    const body = await lookInto(house, async ({ store }) => (await store.readAll(0, 1_000)).findLast(({ type }) => type === 'TemplateCreated')!.data as { body: TemplateBody });
    await service.end('SIGTERM');
    const putBack = await take(body.body.content.sha256);
    service = await house.start();
    expectRefusal(await callerOf(service).ask('GET', path), 'service_unavailable');
    expect(await missingOf(service)).toContain('BLOB_STORE_URL');
    await putBack();
    await until('the template is there', async () => (await callerOf(service).ask('GET', path)).status === 200);
    expect(await missingOf(service)).toBe('');
    expect((await service.end('SIGTERM')).code).toBe(0);
  }, 60_000);
});
