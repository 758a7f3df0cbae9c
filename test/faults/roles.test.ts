import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventData } from '#contracts/events/all.ts';
import { render } from '#libs/domain/render.ts';
import { readLease } from '#libs/election/lease.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { causedBy, load } from '#application/handling/handle.ts';
import { freeKey } from '../e2e/accounts.ts';
import { type Client, clientOf } from '../e2e/client.ts';
import { lookInto } from '../e2e/engines.ts';
import { jobsOf } from '../e2e/jobs.ts';
import { readPdf } from '../e2e/pdf.ts';
import { expectRefusal } from '../e2e/refusals.ts';
import { type House, openHouse, type Service } from '../e2e/service.ts';
import { areServersThere, openProduction, type World } from '../e2e/world.ts';
import { until } from '../e2e/until.ts';
import { type Beacon, openBeacon } from './beacon.ts';
import { descendantsOf } from './processes.ts';
import { endedAtLast, hasEnded, storiesIn, typesOf } from './renders.ts';

let beacon: Beacon;
let house: House;
let world: World;
let key: string;
beforeEach(async () => {
  if (!areServersThere) return;
  [beacon, world] = await Promise.all([openBeacon(), openProduction()]);
  house = await openHouse({ COLOPHON_EGRESS_ALLOW: beacon.host }, world);
  key = await freeKey(house);
});
afterEach(async () => {
  if (!areServersThere) return;
  await house.remove();
  beacon.close();
});

const completed = (JSON.parse(readFileSync(new URL('../fixtures/events/RenderCompleted.v1.json', import.meta.url), 'utf8')) as { event: { data: EventData['RenderCompleted'] } }).event.data;

const textOf = async (pdf: unknown): Promise<string> => (await readPdf(String(pdf)))[0]!.text.trim();
const workersIn = (story: readonly RecordedEvent[]): string[] => story.flatMap(({ type, data }) => (type === 'RenderStarted' ? [(data as { worker: string }).worker] : []));
const holderOf = (office: string): Promise<number | undefined> => lookInto(house, async ({ reads }) => (await readLease(reads, office)).holder?.pid);
const inOffice = (office: string, among: readonly Service[]): Promise<Service> =>
  until(`somebody holds the office of the ${office}`, async () => {
    const pid = await holderOf(office);
    return among.find((one) => one.pid === pid);
  });

const end = async (...services: Service[]): Promise<void> => {
  const ends = await Promise.all(services.map((one) => one.end('SIGTERM')));
  expect(ends.map(({ code }) => code)).toEqual(services.map(() => 0));
};

describe.skipIf(!areServersThere)('A service in six processes', () => {
  it('does what it does in one, with a browser in the renderer alone', async () => {
    const services = await Promise.all(['api', 'relay', 'renderer', 'delivery', 'projector', 'sweeper'].map((role) => house.start(role)));
    const [api, , renderer] = services;
    const caller: Client = clientOf(api!.url, key);
    expect(await textOf((await caller.render('markdown', '# In parts')).pdf_base64)).toBe('In parts');
    expectRefusal(await caller.convert('html', '<p'), 'invalid_html', { line: 1 });
    const jobs = jobsOf(caller);
    expect(await jobs.ended((await jobs.later()).job_id)).toMatchObject({ status: 'DONE', pages: 1 });
    const browsers = services.map(({ pid }) => descendantsOf(pid).some(({ command }) => command.includes('--remote-debugging-pipe')));
    expect(browsers).toEqual(services.map((one) => one === renderer));
    await end(...services);
  }, 120_000);

  it('tells of each one whether it lives and is ready', async () => {
    const relay = await house.start('relay');
    const of = async (path: string) => (await fetch(`${relay.url}${path}`)).json();
    expect([await of('/health/live'), await of('/health/ready')]).toEqual([{ status: 'live' }, { status: 'ready' }]);
    await end(relay);
  });
});

describe.skipIf(!areServersThere)('Two renderers', () => {
  it('share what there is to do, and where one is killed the other finishes it', async () => {
    const [front, one, other] = await Promise.all([house.start('api', 'relay', 'projector'), house.start('renderer'), house.start('renderer')]);
    const caller = clientOf(front.url, key);
    const names = Array.from({ length: 12 }, (_, n) => `shared-${n}`);
    const answers = names.map((name) => caller.convert('html', beacon.document(name), { wait_time: 500 }));
    await Promise.all(names.slice(0, 2).map((name) => beacon.ran(name)));
    expect((await one.end('SIGKILL')).code).toBeNull();
    for (const [index, answer] of (await Promise.all(answers)).entries()) {
      expect(answer.status, answer.text.slice(0, 300)).toBe(200);
      expect(await textOf(answer.body.pdf_base64)).toBe(names[index]);
    }
    const stories = [...(await storiesIn(house)).values()];
    expect(new Set(stories.flatMap(workersIn)).size).toBe(2);
    expect(stories.map((story) => typesOf(story).filter((type) => type === 'RenderCompleted').length)).toEqual(names.map(() => 1));
    await end(front, other);
  }, 120_000);
});

describe.skipIf(!areServersThere)('Of several relays and projectors', () => {
  it('one is at work; when it is killed, another goes on, and everything that was accepted ends', async () => {
    const [api, worker, ...both] = await Promise.all([house.start('api'), house.start('renderer'), house.start('relay', 'projector'), house.start('relay', 'projector')]);
    const caller = clientOf(api.url, key);
    const jobs = jobsOf(caller);
    await jobs.ended((await jobs.later()).job_id);
    const relay = await inOffice('relay', both);
    const accepted = await Promise.all(Array.from({ length: 5 }, () => jobs.later()));
    await relay.end('SIGKILL');
    for (const { job_id } of [...accepted, await jobs.later()]) expect((await endedAtLast(caller, job_id)).status).toBe('DONE');
    const heir = await inOffice('relay', both.filter((one) => one !== relay));
    expect(await inOffice('projector', [heir])).toBe(heir);
    await end(api, worker, heir);
  }, 120_000);

  it('a frozen one is replaced, and does no harm when it is back', async () => {
    const [api, worker, ...both] = await Promise.all([house.start('api'), house.start('renderer'), house.start('relay', 'projector'), house.start('relay', 'projector')]);
    const caller = clientOf(api.url, key);
    const jobs = jobsOf(caller);
    await jobs.ended((await jobs.later()).job_id);
    const frozen = await inOffice('relay', both);
    const heir = both.find((one) => one !== frozen)!;
    frozen.tell('SIGSTOP');
    const accepted = await Promise.all(Array.from({ length: 5 }, () => jobs.later()));
    for (const { job_id } of accepted) expect((await endedAtLast(caller, job_id)).status).toBe('DONE');
    expect(await inOffice('relay', [heir])).toBe(heir);
    frozen.tell('SIGCONT');
    await until('the one that was frozen has noticed', () => frozen.said().includes('left an office'));
    const after = await jobs.later();
    expect((await endedAtLast(caller, after.job_id)).status).toBe('DONE');
    const stories = [...(await storiesIn(house)).values()];
    expect(stories.every(hasEnded)).toBe(true);
    expect(stories.map((story) => typesOf(story).filter((type) => type === 'RenderCompleted').length)).toEqual(stories.map(() => 1));
    await end(api, worker, ...both);
  }, 120_000);
});

describe.skipIf(!areServersThere)('An answer whose bringer is gone', () => {
  it('comes all the same: the PDF is made again', async () => {
    const [front, renderer] = await Promise.all([house.start('api', 'relay', 'projector'), house.start('renderer')]);
    const answer = clientOf(front.url, key).convert('html', beacon.document('lost'), { wait_time: 300 });
    await beacon.ran('lost');
    // Somebody else ends the render, and tells nobody.
    await lookInto(house, async ({ store }) => {
      const stream = [...(await storiesIn(house)).keys()][0]!;
      const { history, aggregate } = await load({ store, now: () => new Date() }, render, stream);
      await aggregate.execute({ type: 'complete', data: completed }, causedBy(history[0]!, 'tests'));
    });
    const { status, body } = await answer;
    expect([status, await textOf(body.pdf_base64)]).toEqual([200, 'lost']);
    await end(front, renderer);
  }, 60_000);
});
