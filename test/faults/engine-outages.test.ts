import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { consumers, subjects } from '#contracts/names.ts';
import { createUnlimitedKey, openAccount } from '../support/service/accounts.ts';
import { createClient } from '../support/client/api-client.ts';
import { withInstallationEngines } from '../support/service/with-engines.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { smallRequest } from '../support/client/job-client.ts';
import { type TestInstallation, openTestInstallation, type RunningService } from '../support/service/installation.ts';
import { waitUntil } from '../support/wait-until.ts';
import { areServersAvailable, openServersEnvironment, serverSettings, type Servers } from '../support/environment.ts';
import { recordOverdueRenders } from '../support/renders/overdue-renders.ts';
import { openInterruptibleProxy, type InterruptibleProxy } from '../support/network/interruptible-proxy.ts';
import { startLoad } from '../support/renders/load.ts';
import { hasEnded, readRenderHistories, eventTypesOf } from '../support/renders/render-histories.ts';

type Name = keyof Servers;
const names = ['kurrentdb', 'nats', 'mongodb'] as const satisfies Name[];

const settingOf: Record<Name, string> = { kurrentdb: 'EVENT_STORE_URL', nats: 'BUS_URL', mongodb: 'READ_STORE_URL' };

let servers: Servers;
let ways: Record<Name, InterruptibleProxy>;
let closeWorld: () => Promise<void>;
let house: TestInstallation;
let key: string;

const open = async (): Promise<void> => {
  const world = await openServersEnvironment();
  servers = world.servers;
  const [kurrentdb, nats, mongodb] = await Promise.all(names.map((name) => openInterruptibleProxy(servers[name].url)));
  ways = { kurrentdb: kurrentdb!, nats: nats!, mongodb: mongodb! };
  const settings = serverSettings({ kurrentdb: kurrentdb!.url, nats: nats!.url, mongodb: mongodb!.url });
  closeWorld = world.close;
  house = await openTestInstallation({}, { ...world, settings });
  key = await createUnlimitedKey(house);
};
const close = async (): Promise<void> => {
  await house.remove();
  await Promise.all(Object.values(ways).map((way) => way.close()));
  await closeWorld();
};

const readiness = async ({ url }: RunningService): Promise<string[]> => {
  const { missing = [] } = (await (await fetch(`${url}/health/ready`)).json()) as { missing?: string[] };
  return missing;
};
const ready = async (service: RunningService): Promise<void> => {
  let missing: string[] = [];
  const look = async () => (missing = await readiness(service)).length === 0;
  await waitUntil('it is ready', look).catch((error: unknown) =>
    expect.fail(`${String(error)}; it misses: ${missing.join(' ')}\n${service.output().slice(-3_000)}`),
  );
};
const misses = (service: RunningService, setting: string) =>
  waitUntil(`${setting} is missed`, async () => (await readiness(service)).find((one) => one.includes(setting)));

const expectEachToHaveEndedOnce = async (accepted: readonly string[]): Promise<void> => {
  const stories = await waitUntil('every render has ended', async () => {
    const all = await readRenderHistories(house);
    return [...all.values()].every(hasEnded) && all;
  });
  for (const id of accepted) {
    const types = eventTypesOf(stories.get(id.replace('job_', 'render-'))!);
    expect(
      types.filter((type) => type === 'RenderCompleted'),
      `${id}: ${types.join()}`,
    ).toHaveLength(1);
  }
};

const renderer = { name: consumers.renderer, subject: subjects.renderRequested, urgent: false, leaseMs: 0 };

type Fault = {
  fault: string;
  strike: (name: Name) => Promise<void> | void;
  heal: (name: Name) => Promise<void> | void;
};
const faults: Fault[] = [
  { fault: 'are killed', strike: (name) => servers[name].kill(), heal: (name) => servers[name].start() },
  { fault: 'suspend', strike: (name) => servers[name].suspend(), heal: (name) => servers[name].resume() },
  { fault: 'are cut off', strike: (name) => ways[name].disconnect(), heal: (name) => ways[name].reconnect() },
];

describe.skipIf(!areServersAvailable)('Under load, where engines go away', () => {
  beforeEach(open);
  afterEach(close);

  it.each(faults)(
    'because they $fault, one after the other, every job that was accepted ends, and none twice',
    async ({ strike, heal }) => {
      const [front, back] = await Promise.all([
        house.start('api', 'relay', 'projector', 'delivery', 'sweeper'),
        house.start('renderer'),
      ]);
      const load = startLoad(createClient(front.url, key));
      for (const name of names) {
        await waitUntil('something was accepted', () => load.accepted.length > 5);
        await strike(name);
        await misses(front, settingOf[name]);
        await heal(name);
        await ready(front);
        const before = load.accepted.length;
        await waitUntil('callers are served again', () => load.accepted.length > before + 3);
      }
      await load.stop();
      expect(load.unexpectedResponses).toEqual([]);
      await expectEachToHaveEndedOnce(load.accepted);
      expect((await Promise.all([front, back].map((one) => one.stop('SIGTERM')))).map(({ code }) => code)).toEqual([
        0, 0,
      ]);
    },
    180_000,
  );

  it('callers are told to come again, and are served when it is back', async () => {
    const service = await house.start();
    const caller = createClient(service.url, key);
    await caller.render('html', 'x');
    for (const name of ['kurrentdb', 'mongodb'] as const) {
      ways[name].disconnect();
      await misses(service, settingOf[name]);
      expectErrorResponse(await caller.convert('html', 'x'), 'service_unavailable');
      ways[name].reconnect();
      await ready(service);
      await waitUntil('the caller is served', async () => (await caller.convert('html', 'x')).status === 200);
    }
    expect((await service.stop('SIGTERM')).code).toBe(0);
  }, 120_000);

  it('jobs are accepted while the bus is away, and done when it is back', async () => {
    const service = await house.start();
    const caller = createClient(service.url, key);
    ways.nats.disconnect();
    await misses(service, settingOf.nats);
    const accepted: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      const { status, body, text } = await caller.request('POST', '/api/v1/render/async', {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(smallRequest),
      });
      expect(status, text).toBe(200);
      accepted.push(String(body['job_id']));
    }
    expectErrorResponse(await caller.convert('html', 'x'), 'service_unavailable');
    ways.nats.reconnect();
    await ready(service);
    await expectEachToHaveEndedOnce(accepted);
    expect((await service.stop('SIGTERM')).code).toBe(0);
  }, 120_000);
});

describe.skipIf(!areServersAvailable)('A service whose engines', () => {
  beforeEach(open);
  afterEach(close);

  it('are not there yet waits, says so, and is ready when they come', async () => {
    for (const name of names) ways[name].disconnect();
    const relay = await house.startWithoutWaiting('relay');
    const api = await house.startWithoutWaiting('api', 'projector', 'renderer');
    for (const name of ['kurrentdb', 'nats'] as const) await misses(relay, settingOf[name]);
    expectErrorResponse(await createClient(api.url, key).convert('html', 'x'), 'service_unavailable');
    for (const name of names) ways[name].reconnect();
    await Promise.all([ready(relay), ready(api)]);
    await createClient(api.url, key).render('html', 'x');
    expect((await Promise.all([relay, api].map((one) => one.stop('SIGTERM')))).map(({ code }) => code)).toEqual([0, 0]);
  }, 120_000);

  it('have lost the whole queue finds the jobs in the log', async () => {
    const front = await house.start('api', 'relay', 'projector');
    const accepted = await recordOverdueRenders(house, await openAccount(house), 12);
    await waitUntil('the first of them are in the queue', () =>
      withInstallationEngines(house, async ({ bus }) => (await bus.pending(renderer)) > 0),
    );
    await servers.nats.kill();
    await servers.nats.wipe();
    await servers.nats.start();
    await ready(front);
    const rest = await house.start('renderer', 'sweeper');
    await expectEachToHaveEndedOnce(accepted);
    expect((await Promise.all([front, rest].map((one) => one.stop('SIGTERM')))).map(({ code }) => code)).toEqual([
      0, 0,
    ]);
  }, 120_000);
});
