import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { consumers, subjects } from '#contracts/names.ts';
import { freeKey, openAccount } from '../e2e/accounts.ts';
import { clientOf } from '../e2e/client.ts';
import { lookInto } from '../e2e/engines.ts';
import { expectRefusal } from '../e2e/refusals.ts';
import { small } from '../e2e/jobs.ts';
import { type House, openHouse, type Service } from '../e2e/service.ts';
import { until } from '../e2e/until.ts';
import { areServersThere, openProduction, productionSettings, type Servers } from '../e2e/world.ts';
import { acceptLongAgo } from './accept-long-ago.ts';
import { openWay, type Way } from './cut-off.ts';
import { startLoad } from './load.ts';
import { hasEnded, storiesIn, typesOf } from './renders.ts';

type Name = keyof Servers;
const names = ['kurrentdb', 'nats', 'mongodb'] as const satisfies Name[];

const settingOf: Record<Name, string> = { kurrentdb: 'EVENT_STORE_URL', nats: 'BUS_URL', mongodb: 'READ_STORE_URL' };

let servers: Servers;
let ways: Record<Name, Way>;
let closeWorld: () => Promise<void>;
let house: House;
let key: string;

const open = async (): Promise<void> => {
  const world = await openProduction();
  servers = world.servers;
  const [kurrentdb, nats, mongodb] = await Promise.all(names.map((name) => openWay(servers[name].url)));
  ways = { kurrentdb: kurrentdb!, nats: nats!, mongodb: mongodb! };
  const settings = productionSettings({ kurrentdb: kurrentdb!.url, nats: nats!.url, mongodb: mongodb!.url });
  closeWorld = world.close;
  house = await openHouse({}, { ...world, settings });
  key = await freeKey(house);
};
const close = async (): Promise<void> => {
  await house.remove();
  await Promise.all(Object.values(ways).map((way) => way.close()));
  await closeWorld();
};

const readiness = async ({ url }: Service): Promise<string[]> => {
  const { missing = [] } = (await (await fetch(`${url}/health/ready`)).json()) as { missing?: string[] };
  return missing;
};
const ready = async (service: Service): Promise<void> => {
  let missing: string[] = [];
  const look = async () => (missing = await readiness(service)).length === 0;
  await until('it is ready', look).catch((error: unknown) => expect.fail(`${String(error)}; it misses: ${missing.join(' ')}\n${service.said().slice(-3_000)}`));
};
const misses = (service: Service, setting: string) => until(`${setting} is missed`, async () => (await readiness(service)).find((one) => one.includes(setting)));

const expectEachToHaveEndedOnce = async (accepted: readonly string[]): Promise<void> => {
  const stories = await until('every render has ended', async () => {
    const all = await storiesIn(house);
    return [...all.values()].every(hasEnded) && all;
  });
  for (const id of accepted) {
    const types = typesOf(stories.get(id.replace('job_', 'render-'))!);
    expect(types.filter((type) => type === 'RenderCompleted'), `${id}: ${types.join()}`).toHaveLength(1);
  }
};

const renderer = { name: consumers.renderer, subject: subjects.renderRequested, urgent: false, leaseMs: 0 };

type Fault = { fault: string; strike: (name: Name) => Promise<void> | void; heal: (name: Name) => Promise<void> | void };
const faults: Fault[] = [
  { fault: 'are killed', strike: (name) => servers[name].kill(), heal: (name) => servers[name].start() },
  { fault: 'freeze', strike: (name) => servers[name].freeze(), heal: (name) => servers[name].thaw() },
  { fault: 'are cut off', strike: (name) => ways[name].cutOff(), heal: (name) => ways[name].join() },
];

describe.skipIf(!areServersThere)('Under load, where engines go away', () => {
  beforeEach(open);
  afterEach(close);

  it.each(faults)('because they $fault, one after the other, every job that was accepted ends, and none twice', async ({ strike, heal }) => {
    const [front, back] = await Promise.all([house.start('api', 'relay', 'projector', 'delivery', 'sweeper'), house.start('renderer')]);
    const load = startLoad(clientOf(front.url, key));
    for (const name of names) {
      await until('something was accepted', () => load.accepted.length > 5);
      await strike(name);
      await misses(front, settingOf[name]);
      await heal(name);
      await ready(front);
      const before = load.accepted.length;
      await until('callers are served again', () => load.accepted.length > before + 3);
    }
    await load.stop();
    expect(load.surprises).toEqual([]);
    await expectEachToHaveEndedOnce(load.accepted);
    expect((await Promise.all([front, back].map((one) => one.end('SIGTERM')))).map(({ code }) => code)).toEqual([0, 0]);
  }, 180_000);

  it('callers are told to come again, and are served when it is back', async () => {
    const service = await house.start();
    const caller = clientOf(service.url, key);
    await caller.render('html', 'x');
    for (const name of ['kurrentdb', 'mongodb'] as const) {
      ways[name].cutOff();
      await misses(service, settingOf[name]);
      expectRefusal(await caller.convert('html', 'x'), 'service_unavailable');
      ways[name].join();
      await ready(service);
      await until('the caller is served', async () => (await caller.convert('html', 'x')).status === 200);
    }
    expect((await service.end('SIGTERM')).code).toBe(0);
  }, 120_000);

  it('jobs are accepted while the bus is away, and done when it is back', async () => {
    const service = await house.start();
    const caller = clientOf(service.url, key);
    ways.nats.cutOff();
    await misses(service, settingOf.nats);
    const accepted: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      const { status, body, text } = await caller.ask('POST', '/api/v1/render/async', { headers: { 'content-type': 'application/json' }, body: JSON.stringify(small) });
      expect(status, text).toBe(200);
      accepted.push(String(body['job_id']));
    }
    expectRefusal(await caller.convert('html', 'x'), 'service_unavailable');
    ways.nats.join();
    await ready(service);
    await expectEachToHaveEndedOnce(accepted);
    expect((await service.end('SIGTERM')).code).toBe(0);
  }, 120_000);
});

describe.skipIf(!areServersThere)('A service whose engines', () => {
  beforeEach(open);
  afterEach(close);

  it('are not there yet waits, says so, and is ready when they come', async () => {
    for (const name of names) ways[name].cutOff();
    const relay = await house.startUnready('relay');
    const api = await house.startUnready('api', 'projector', 'renderer');
    for (const name of ['kurrentdb', 'nats'] as const) await misses(relay, settingOf[name]);
    expectRefusal(await clientOf(api.url, key).convert('html', 'x'), 'service_unavailable');
    for (const name of names) ways[name].join();
    await Promise.all([ready(relay), ready(api)]);
    await clientOf(api.url, key).render('html', 'x');
    expect((await Promise.all([relay, api].map((one) => one.end('SIGTERM')))).map(({ code }) => code)).toEqual([0, 0]);
  }, 120_000);

  it('have lost the whole queue finds the jobs in the log', async () => {
    const front = await house.start('api', 'relay', 'projector');
    const accepted = await acceptLongAgo(house, await openAccount(house), 12);
    await until('the first of them are in the queue', () => lookInto(house, async ({ bus }) => (await bus.pending(renderer)) > 0));
    await servers.nats.kill();
    await servers.nats.wipe();
    await servers.nats.start();
    await ready(front);
    const rest = await house.start('renderer', 'sweeper');
    await expectEachToHaveEndedOnce(accepted);
    expect((await Promise.all([front, rest].map((one) => one.end('SIGTERM')))).map(({ code }) => code)).toEqual([0, 0]);
  }, 120_000);
});
