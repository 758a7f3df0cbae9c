import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, type ApiResponse, createClient } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { createJobClient } from '../support/client/job-client.ts';
import { type TestInstallation, openTestInstallation, type RunningService } from '../support/service/installation.ts';
import { waitUntil } from '../support/wait-until.ts';
import { areServersAvailable, openServersEnvironment, serverSettings, type Servers } from '../support/environment.ts';
import { openInterruptibleProxy, type InterruptibleProxy } from '../support/network/interruptible-proxy.ts';
import { startLoad } from '../support/renders/load.ts';
import { hasEnded, eventTypesOf, waitForRenderHistories } from '../support/renders/render-histories.ts';

type Name = keyof Servers;
const names = ['kurrentdb', 'nats', 'mongodb'] as const satisfies Name[];

const settingOf: Record<Name, string> = { kurrentdb: 'EVENT_STORE_URL', nats: 'BUS_URL', mongodb: 'READ_STORE_URL' };

/** Three outages one after the other take minutes on a busy machine. */
const timeoutMs = 600_000;

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

/** Callers get 503 with a retry time. Without the bus, jobs are accepted all the same. */
const expectRefusals = async (caller: ApiClient, missing: Name, accepted: string[]): Promise<void> => {
  expectErrorResponse(await caller.convert('html', 'x'), 'service_unavailable');
  if (missing === 'nats') accepted.push((await createJobClient(caller).submitAsync()).job_id);
};

type Outage = {
  outage: string;
  begin: (name: Name) => Promise<void> | void;
  end: (name: Name) => Promise<void> | void;
  expectDuring?: typeof expectRefusals;
};
const outages: Outage[] = [
  { outage: 'are killed', begin: (name) => servers[name].kill(), end: (name) => servers[name].start() },
  { outage: 'are frozen', begin: (name) => servers[name].suspend(), end: (name) => servers[name].resume() },
  {
    outage: 'are disconnected',
    begin: (name) => proxies[name].disconnect(),
    end: (name) => proxies[name].reconnect(),
    expectDuring: expectRefusals,
  },
];

describe.skipIf(!areServersAvailable)('A service whose engines were not up at its start', () => {
  let front: RunningService;
  let back: RunningService;
  let caller: ApiClient;
  let responseBefore: ApiResponse;
  beforeAll(async () => {
    await open();
    for (const name of names) proxies[name].disconnect();
    [front, back] = await Promise.all([
      installation.startWithoutWaiting('api', 'projector', 'delivery', 'sweeper'),
      installation.startWithoutWaiting('relay', 'renderer'),
    ]);
    caller = createClient(front.url, key);
    for (const name of ['kurrentdb', 'nats'] as const)
      await Promise.all([front, back].map((one) => waitUntilMissing(one, settingOf[name])));
    responseBefore = await caller.convert('html', 'x');
    for (const name of names) proxies[name].reconnect();
    await Promise.all([front, back].map(waitUntilReady));
  });
  afterAll(close);

  it('refused work until they were, and is ready since then', async () => {
    expectErrorResponse(responseBefore, 'service_unavailable');
    await caller.render('html', 'x');
  });

  it.each(outages)(
    'ends every accepted job once when they $outage one after the other under load',
    async ({ begin, end, expectDuring }) => {
      const load = startLoad(caller);
      const accepted: string[] = [];
      for (const name of names) {
        const atBegin = load.accepted.length;
        await waitUntil('something was accepted', () => load.accepted.length > atBegin + 2);
        await begin(name);
        try {
          await waitUntilMissing(front, settingOf[name]);
          await expectDuring?.(caller, name, accepted);
        } finally {
          await end(name);
        }
        await waitUntilReady(front);
        const before = load.accepted.length;
        await waitUntil('callers are served again', () => load.accepted.length > before + 2);
      }
      await load.stop();
      expect(load.unexpectedResponses).toEqual([]);
      await expectEachToHaveEndedOnce([...load.accepted, ...accepted]);
    },
    timeoutMs,
  );

  it('accepts jobs while the bus is unavailable and another engine is slow', async () => {
    proxies.nats.disconnect();
    await waitUntilMissing(front, settingOf.nats);
    // An operation of the read store waits for several answers.
    proxies.mongodb.delay(300);
    const { job_id } = await createJobClient(caller).submitAsync();
    expect(job_id).toMatch(/^job_/);
    for (const name of ['mongodb', 'nats'] as const) {
      proxies[name].disconnect();
      proxies[name].reconnect();
    }
    await waitUntilReady(front);
    await expectEachToHaveEndedOnce([job_id]);
  });

  it('stops with code 0 when all engines are back', async () => {
    const results = await Promise.all([front, back].map((one) => one.stop('SIGTERM')));
    expect(results.map(({ code }) => code)).toEqual([0, 0]);
  });
});
