import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { consumers, subjects } from '#contracts/names.ts';
import { createUnlimitedKey, openAccount } from '../support/service/accounts.ts';
import { createClient } from '../support/client/api-client.ts';
import { withInstallationEngines } from '../support/service/with-engines.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { createJobClient, smallRequest } from '../support/client/job-client.ts';
import { type TestInstallation, openTestInstallation, type RunningService } from '../support/service/installation.ts';
import { waitUntil } from '../support/wait-until.ts';
import { areServersAvailable, openServersEnvironment, serverSettings, type Servers } from '../support/environment.ts';
import { recordOverdueRenders } from '../support/renders/overdue-renders.ts';
import { openInterruptibleProxy, type InterruptibleProxy } from '../support/network/interruptible-proxy.ts';
import { startLoad } from '../support/renders/load.ts';
import { hasEnded, eventTypesOf, waitForRenderHistories } from '../support/renders/render-histories.ts';

type Name = keyof Servers;
const names = ['kurrentdb', 'nats', 'mongodb'] as const satisfies Name[];

const settingOf: Record<Name, string> = { kurrentdb: 'EVENT_STORE_URL', nats: 'BUS_URL', mongodb: 'READ_STORE_URL' };

let servers: Servers;
let proxies: Record<Name, InterruptibleProxy>;
let installation: TestInstallation;
let key: string;

const open = async (): Promise<void> => {
  const environment = await openServersEnvironment();
  servers = environment.servers;
  const [kurrentdb, nats, mongodb] = await Promise.all(names.map((name) => openInterruptibleProxy(servers[name].url)));
  proxies = { kurrentdb: kurrentdb!, nats: nats!, mongodb: mongodb! };
  const settings = serverSettings({ kurrentdb: kurrentdb!.url, nats: nats!.url, mongodb: mongodb!.url });
  installation = await openTestInstallation({}, { ...environment, settings });
  key = await createUnlimitedKey(installation, '--plan', 'enterprise');
};
const close = async (): Promise<void> => {
  await installation.remove();
  await Promise.all(Object.values(proxies).map((proxy) => proxy.close()));
};

const readiness = async ({ url }: RunningService): Promise<string[]> => {
  const { missing = [] } = (await (await fetch(`${url}/health/ready`)).json()) as { missing?: string[] };
  return missing;
};
const waitUntilReady = async (service: RunningService): Promise<void> => {
  let missing: string[] = [];
  const isReady = async () => (missing = await readiness(service)).length === 0;
  await waitUntil('it is ready', isReady).catch((error: unknown) =>
    expect.fail(`${String(error)}; missing: ${missing.join(' ')}\n${service.output().slice(-3_000)}`),
  );
};
const waitUntilMissing = (service: RunningService, setting: string) =>
  waitUntil(`${setting} is missing`, async () =>
    (await readiness(service)).find((message) => message.includes(setting)),
  );

const expectEachToHaveEndedOnce = async (accepted: readonly string[]): Promise<void> => {
  const histories = await waitForRenderHistories(installation, 'every render has ended', (all) =>
    [...all.values()].every(hasEnded),
  );
  for (const id of accepted) {
    const types = eventTypesOf(histories.get(id.replace('job_', 'render-'))!);
    expect(
      types.filter((type) => type === 'RenderCompleted'),
      `${id}: ${types.join()}`,
    ).toHaveLength(1);
  }
};

const renderer = { name: consumers.renderer, subject: subjects.renderRequested, urgent: false, leaseMs: 0 };

type Outage = {
  outage: string;
  begin: (name: Name) => Promise<void> | void;
  end: (name: Name) => Promise<void> | void;
};
const outages: Outage[] = [
  { outage: 'are killed', begin: (name) => servers[name].kill(), end: (name) => servers[name].start() },
  { outage: 'are frozen', begin: (name) => servers[name].suspend(), end: (name) => servers[name].resume() },
  { outage: 'are disconnected', begin: (name) => proxies[name].disconnect(), end: (name) => proxies[name].reconnect() },
];

describe.skipIf(!areServersAvailable)('During an outage of engines under load,', () => {
  let front: RunningService;
  let back: RunningService;
  beforeAll(async () => {
    await open();
    [front, back] = await Promise.all([
      installation.start('api', 'relay', 'projector', 'delivery', 'sweeper'),
      installation.start('renderer'),
    ]);
  });
  afterAll(close);

  it.each(outages)(
    'when they $outage one after the other, every accepted job ends once',
    async ({ begin, end }) => {
      const load = startLoad(createClient(front.url, key));
      for (const name of names) {
        await waitUntil('something was accepted', () => load.accepted.length > 5);
        await begin(name);
        await waitUntilMissing(front, settingOf[name]);
        await end(name);
        await waitUntilReady(front);
        const before = load.accepted.length;
        await waitUntil('callers are served again', () => load.accepted.length > before + 3);
      }
      await load.stop();
      expect(load.unexpectedResponses).toEqual([]);
      await expectEachToHaveEndedOnce(load.accepted);
    },
    180_000,
  );

  it('callers get 503 with a retry time, and are served when the engine is back', async () => {
    const caller = createClient(front.url, key);
    await caller.render('html', 'x');
    for (const name of ['kurrentdb', 'mongodb'] as const) {
      proxies[name].disconnect();
      await waitUntilMissing(front, settingOf[name]);
      expectErrorResponse(await caller.convert('html', 'x'), 'service_unavailable');
      proxies[name].reconnect();
      await waitUntilReady(front);
      await waitUntil('the caller is served', async () => (await caller.convert('html', 'x')).status === 200);
    }
  });

  it('jobs are accepted while the bus is unavailable, and done when it is back', async () => {
    const caller = createClient(front.url, key);
    proxies.nats.disconnect();
    await waitUntilMissing(front, settingOf.nats);
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
    proxies.nats.reconnect();
    await waitUntilReady(front);
    await expectEachToHaveEndedOnce(accepted);
  });

  it('jobs are accepted while the bus is unavailable, also when another engine is slow', async () => {
    proxies.nats.disconnect();
    await waitUntilMissing(front, settingOf.nats);
    // An operation of the read store waits for several answers.
    proxies.mongodb.delay(300);
    const { job_id } = await createJobClient(createClient(front.url, key)).submitAsync();
    expect(job_id).toMatch(/^job_/);
    for (const name of ['mongodb', 'nats'] as const) {
      proxies[name].disconnect();
      proxies[name].reconnect();
    }
    await waitUntilReady(front);
    await expectEachToHaveEndedOnce([job_id]);
  });

  it('the processes stop with code 0 when all engines are back', async () => {
    const results = await Promise.all([front, back].map((one) => one.stop('SIGTERM')));
    expect(results.map(({ code }) => code)).toEqual([0, 0]);
  });
});

describe.skipIf(!areServersAvailable)('A service whose engines', () => {
  beforeEach(open);
  afterEach(close);

  it('are not up yet waits, reports it, and is ready when they are', async () => {
    for (const name of names) proxies[name].disconnect();
    const relay = await installation.startWithoutWaiting('relay');
    const api = await installation.startWithoutWaiting('api', 'projector', 'renderer');
    for (const name of ['kurrentdb', 'nats'] as const) await waitUntilMissing(relay, settingOf[name]);
    expectErrorResponse(await createClient(api.url, key).convert('html', 'x'), 'service_unavailable');
    for (const name of names) proxies[name].reconnect();
    await Promise.all([waitUntilReady(relay), waitUntilReady(api)]);
    await createClient(api.url, key).render('html', 'x');
    expect((await Promise.all([relay, api].map((one) => one.stop('SIGTERM')))).map(({ code }) => code)).toEqual([0, 0]);
  });

  it('have lost all messages finds the jobs in the event log', async () => {
    const front = await installation.start('api', 'relay', 'projector');
    const accepted = await recordOverdueRenders(installation, await openAccount(installation), 12);
    await withInstallationEngines(installation, ({ bus }) =>
      waitUntil('the first of them are in the queue', async () => (await bus.pending(renderer)) > 0),
    );
    await servers.nats.kill();
    await servers.nats.wipe();
    await servers.nats.start();
    await waitUntilReady(front);
    const rest = await installation.start('renderer', 'sweeper');
    await expectEachToHaveEndedOnce(accepted);
    expect((await Promise.all([front, rest].map((one) => one.stop('SIGTERM')))).map(({ code }) => code)).toEqual([
      0, 0,
    ]);
  });
});
