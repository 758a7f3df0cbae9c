import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventData } from '#contracts/events/event-schemas.ts';
import { render } from '#libs/domain/render.ts';
import { readLeaderLease } from '#libs/leader-election/leader-lease.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { causedBy, loadAggregate } from '#application/command-handling/aggregate.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { withInstallationEngines } from '../support/service/with-engines.ts';
import { createJobClient } from '../support/client/job-client.ts';
import { readPdf } from '../support/documents/read-pdf.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { type TestInstallation, openTestInstallation, type RunningService } from '../support/service/installation.ts';
import { areServersAvailable, openServersEnvironment, type TestEnvironment } from '../support/environment.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type ScriptTracker, openScriptTracker } from '../support/documents/script-tracker.ts';
import { descendantsOf } from '../support/processes/process-tree.ts';
import { waitUntilJobEnded, hasEnded, readRenderHistories, eventTypesOf } from '../support/renders/render-histories.ts';

let beacon: ScriptTracker;
let house: TestInstallation;
let world: TestEnvironment;
let key: string;
beforeEach(async () => {
  if (!areServersAvailable) return;
  [beacon, world] = await Promise.all([openScriptTracker(), openServersEnvironment()]);
  house = await openTestInstallation({ COLOPHON_EGRESS_ALLOW: beacon.host }, world);
  key = await createUnlimitedKey(house);
});
afterEach(async () => {
  if (!areServersAvailable) return;
  await house.remove();
  beacon.close();
});

const completed = (
  JSON.parse(readFileSync(new URL('../fixtures/events/RenderCompleted.v1.json', import.meta.url), 'utf8')) as {
    event: { data: EventData['RenderCompleted'] };
  }
).event.data;

const textOf = async (pdf: unknown): Promise<string> => (await readPdf(String(pdf)))[0]!.text.trim();
const workersIn = (story: readonly RecordedEvent[]): string[] =>
  story.flatMap(({ type, data }) => (type === 'RenderStarted' ? [(data as { worker: string }).worker] : []));
const holderOf = (office: string): Promise<number | undefined> =>
  withInstallationEngines(house, async ({ reads }) => (await readLeaderLease(reads, office)).holder?.pid);
const inOffice = (office: string, among: readonly RunningService[]): Promise<RunningService> =>
  waitUntil(`somebody holds the office of the ${office}`, async () => {
    const pid = await holderOf(office);
    return among.find((one) => one.pid === pid);
  });

const end = async (...services: RunningService[]): Promise<void> => {
  const ends = await Promise.all(services.map((one) => one.stop('SIGTERM')));
  expect(ends.map(({ code }) => code)).toEqual(services.map(() => 0));
};

describe.skipIf(!areServersAvailable)('A service in six processes', () => {
  it('does what it does in one, with a browser in the renderer alone', async () => {
    const services = await Promise.all(
      ['api', 'relay', 'renderer', 'delivery', 'projector', 'sweeper'].map((role) => house.start(role)),
    );
    const [api, , renderer] = services;
    const caller: ApiClient = createClient(api!.url, key);
    expect(await textOf((await caller.render('markdown', '# In parts')).pdf_base64)).toBe('In parts');
    expectErrorResponse(await caller.convert('html', '<p'), 'invalid_html', { line: 1 });
    const jobs = createJobClient(caller);
    expect(await jobs.waitUntilEnded((await jobs.submitAsync()).job_id)).toMatchObject({ status: 'DONE', pages: 1 });
    const browsers = services.map(({ pid }) =>
      descendantsOf(pid).some(({ command }) => command.includes('--remote-debugging-pipe')),
    );
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

describe.skipIf(!areServersAvailable)('Two renderers', () => {
  it('share what there is to do, and where one is killed the other finishes it', async () => {
    const [front, one, other] = await Promise.all([
      house.start('api', 'relay', 'projector'),
      house.start('renderer'),
      house.start('renderer'),
    ]);
    const caller = createClient(front.url, key);
    const names = Array.from({ length: 12 }, (_, n) => `shared-${n}`);
    const answers = names.map((name) => caller.convert('html', beacon.document(name), { wait_time: 500 }));
    await Promise.all(names.slice(0, 2).map((name) => beacon.waitUntilRun(name)));
    expect((await one.stop('SIGKILL')).code).toBeNull();
    for (const [index, answer] of (await Promise.all(answers)).entries()) {
      expect(answer.status, answer.text.slice(0, 300)).toBe(200);
      expect(await textOf(answer.body.pdf_base64)).toBe(names[index]);
    }
    const stories = [...(await readRenderHistories(house)).values()];
    expect(new Set(stories.flatMap(workersIn)).size).toBe(2);
    expect(stories.map((story) => eventTypesOf(story).filter((type) => type === 'RenderCompleted').length)).toEqual(
      names.map(() => 1),
    );
    await end(front, other);
  }, 120_000);
});

describe.skipIf(!areServersAvailable)('Of several relays and projectors', () => {
  it('one is at work; when it is killed, another goes on, and everything that was accepted ends', async () => {
    const [api, worker, ...both] = await Promise.all([
      house.start('api'),
      house.start('renderer'),
      house.start('relay', 'projector'),
      house.start('relay', 'projector'),
    ]);
    const caller = createClient(api.url, key);
    const jobs = createJobClient(caller);
    await jobs.waitUntilEnded((await jobs.submitAsync()).job_id);
    const relay = await inOffice('relay', both);
    const accepted = await Promise.all(Array.from({ length: 5 }, () => jobs.submitAsync()));
    await relay.stop('SIGKILL');
    for (const { job_id } of [...accepted, await jobs.submitAsync()])
      expect((await waitUntilJobEnded(caller, job_id)).status).toBe('DONE');
    const heir = await inOffice(
      'relay',
      both.filter((one) => one !== relay),
    );
    expect(await inOffice('projector', [heir])).toBe(heir);
    await end(api, worker, heir);
  }, 120_000);

  it('a frozen one is replaced, and does no harm when it is back', async () => {
    const [api, worker, ...both] = await Promise.all([
      house.start('api'),
      house.start('renderer'),
      house.start('relay', 'projector'),
      house.start('relay', 'projector'),
    ]);
    const caller = createClient(api.url, key);
    const jobs = createJobClient(caller);
    await jobs.waitUntilEnded((await jobs.submitAsync()).job_id);
    const frozen = await inOffice('relay', both);
    const heir = both.find((one) => one !== frozen)!;
    frozen.sendSignal('SIGSTOP');
    const accepted = await Promise.all(Array.from({ length: 5 }, () => jobs.submitAsync()));
    for (const { job_id } of accepted) expect((await waitUntilJobEnded(caller, job_id)).status).toBe('DONE');
    expect(await inOffice('relay', [heir])).toBe(heir);
    frozen.sendSignal('SIGCONT');
    await waitUntil('the one that was frozen has noticed', () => frozen.output().includes('lost leadership'));
    const after = await jobs.submitAsync();
    expect((await waitUntilJobEnded(caller, after.job_id)).status).toBe('DONE');
    const stories = [...(await readRenderHistories(house)).values()];
    expect(stories.every(hasEnded)).toBe(true);
    expect(stories.map((story) => eventTypesOf(story).filter((type) => type === 'RenderCompleted').length)).toEqual(
      stories.map(() => 1),
    );
    await end(api, worker, ...both);
  }, 120_000);
});

describe.skipIf(!areServersAvailable)('An answer whose bringer is gone', () => {
  it('comes all the same: the PDF is made again', async () => {
    const [front, renderer] = await Promise.all([house.start('api', 'relay', 'projector'), house.start('renderer')]);
    const answer = createClient(front.url, key).convert('html', beacon.document('lost'), { wait_time: 300 });
    await beacon.waitUntilRun('lost');
    // Somebody else ends the render, and tells nobody.
    await withInstallationEngines(house, async ({ store }) => {
      const stream = [...(await readRenderHistories(house)).keys()][0]!;
      const { history, aggregate } = await loadAggregate({ store, now: () => new Date() }, render, stream);
      await aggregate.execute({ type: 'complete', data: completed }, causedBy(history[0]!, 'tests'));
    });
    const { status, body } = await answer;
    expect([status, await textOf(body.pdf_base64)]).toEqual([200, 'lost']);
    await end(front, renderer);
  }, 60_000);
});
