import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EventData } from '#contracts/events/event-schemas.ts';
import { render } from '#libs/domain/render.ts';
import { readLeaderLease } from '#libs/leader-election/leader-lease.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { causedBy, loadAggregate } from '#application/command-handling/aggregate.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { withInstallationEngines } from '../support/service/with-engines.ts';
import { createJobClient, type JobClient } from '../support/client/job-client.ts';
import { readPdf } from '../support/documents/read-pdf.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { type TestInstallation, openTestInstallation, type RunningService } from '../support/service/installation.ts';
import { areServersAvailable, openServersEnvironment, type TestEnvironment } from '../support/environment.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type ScriptTracker, openScriptTracker } from '../support/documents/script-tracker.ts';
import { descendantsOf } from '../support/processes/process-tree.ts';
import {
  eventTypesOf,
  hasEnded,
  readRenderHistories,
  waitForRenderHistories,
  waitUntilJobEnded,
} from '../support/renders/render-histories.ts';

let scriptTracker: ScriptTracker;
let installation: TestInstallation;
let environment: TestEnvironment;
let key: string;

const open = async (): Promise<void> => {
  [scriptTracker, environment] = await Promise.all([openScriptTracker(), openServersEnvironment()]);
  installation = await openTestInstallation({ COLOPHON_EGRESS_ALLOW: scriptTracker.host }, environment);
  key = await createUnlimitedKey(installation, '--plan', 'enterprise');
};
const close = async (): Promise<void> => {
  await installation?.remove();
  scriptTracker?.close();
};

const completed = (
  JSON.parse(readFileSync(new URL('../fixtures/events/RenderCompleted.v1.json', import.meta.url), 'utf8')) as {
    event: { data: EventData['RenderCompleted'] };
  }
).event.data;

const textOf = async (pdf: unknown): Promise<string> => (await readPdf(String(pdf)))[0]!.text.trim();
const workersIn = (history: readonly RecordedEvent[]): string[] =>
  history.flatMap(({ type, data }) => (type === 'RenderStarted' ? [(data as { worker: string }).worker] : []));
const waitForLeader = (role: string, services: readonly RunningService[]): Promise<RunningService> =>
  withInstallationEngines(installation, ({ reads }) =>
    waitUntil(`a process is leader of the ${role}`, async () => {
      const { holder } = await readLeaderLease(reads, role);
      return services.find(({ pid }) => pid === holder?.pid);
    }),
  );

const stopAll = async (...services: RunningService[]): Promise<void> => {
  const results = await Promise.all(services.map((service) => service.stop('SIGTERM')));
  expect(results.map(({ code }) => code)).toEqual(services.map(() => 0));
};

describe.skipIf(!areServersAvailable)('A service in six processes', () => {
  let services: RunningService[] = [];
  beforeAll(async () => {
    await open();
    services = await Promise.all(
      ['api', 'relay', 'renderer', 'delivery', 'projector', 'sweeper'].map((role) => installation.start(role)),
    );
  });
  afterAll(async () => {
    try {
      await stopAll(...services);
    } finally {
      await close();
    }
  });

  it('works as in one process, with browsers in the renderer only', async () => {
    const [api, , renderer] = services;
    const caller: ApiClient = createClient(api!.url, key);
    expect(await textOf((await caller.render('markdown', '# In parts')).pdf_base64)).toBe('In parts');
    expectErrorResponse(await caller.convert('html', '<p'), 'invalid_html', { line: 1 });
    const jobs = createJobClient(caller);
    expect(await jobs.waitUntilEnded((await jobs.submitAsync()).job_id)).toMatchObject({ status: 'DONE', pages: 1 });
    const browsers = services.map(({ pid }) =>
      descendantsOf(pid).some(({ command }) => command.includes('--remote-debugging-pipe')),
    );
    expect(browsers).toEqual(services.map((service) => service === renderer));
  });

  it('has liveness and readiness probes in each process', async () => {
    const probe = async ({ url }: RunningService, name: string) => (await fetch(`${url}/health/${name}`)).json();
    const [, , renderer] = services;
    for (const service of services) {
      expect(await probe(service, 'live')).toEqual({ status: 'live' });
      // The renderer also names what this machine cannot print.
      const { limitations = [], ...ready } = (await probe(service, 'ready')) as { limitations?: string[] };
      expect(ready).toEqual({ status: 'ready' });
      if (service !== renderer) expect(limitations).toEqual([]);
    }
  });
});

describe.skipIf(!areServersAvailable)('Two renderers', () => {
  beforeEach(open);
  afterEach(close);

  it('share the renders, and when one is killed the other finishes them', async () => {
    const [front, one, other] = await Promise.all([
      installation.start('api', 'relay', 'projector'),
      installation.start('renderer'),
      installation.start('renderer'),
    ]);
    const caller = createClient(front.url, key);
    const names = Array.from({ length: 12 }, (_, n) => `shared-${n}`);
    const responses = names.map((name) => caller.convert('html', scriptTracker.document(name), { wait_time: 500 }));
    await waitForRenderHistories(
      installation,
      'both renderers have started renders',
      (all) => new Set([...all.values()].flatMap(workersIn)).size === 2,
    );
    expect((await one.stop('SIGKILL')).code).toBeNull();
    for (const [index, response] of (await Promise.all(responses)).entries()) {
      expect(response.status, response.text.slice(0, 300)).toBe(200);
      expect(await textOf(response.body.pdf_base64)).toBe(names[index]);
    }
    const histories = [...(await readRenderHistories(installation)).values()];
    expect(new Set(histories.flatMap(workersIn)).size).toBe(2);
    expect(
      histories.map((history) => eventTypesOf(history).filter((type) => type === 'RenderCompleted').length),
    ).toEqual(names.map(() => 1));
    await stopAll(front, other);
  });
});

describe.skipIf(!areServersAvailable)('One leader of several relays and projectors', () => {
  let api: RunningService;
  let renderer: RunningService;
  let relays: RunningService[];
  let caller: ApiClient;
  let jobs: JobClient;
  beforeAll(async () => {
    await open();
    [api, renderer, ...relays] = await Promise.all([
      installation.start('api'),
      installation.start('renderer'),
      installation.start('relay', 'projector'),
      installation.start('relay', 'projector'),
      installation.start('relay', 'projector'),
    ]);
    caller = createClient(api.url, key);
    jobs = createJobClient(caller);
    await jobs.waitUntilEnded((await jobs.submitAsync()).job_id);
  });
  afterAll(close);

  it('is replaced when it is frozen, and does no harm when it continues', async () => {
    const frozen = await waitForLeader('relay', relays);
    relays = relays.filter((one) => one !== frozen);
    try {
      frozen.sendSignal('SIGSTOP');
      const accepted = await Promise.all(Array.from({ length: 5 }, () => jobs.submitAsync()));
      for (const { job_id } of accepted) expect((await waitUntilJobEnded(caller, job_id)).status).toBe('DONE');
      await waitForLeader('relay', relays);
    } finally {
      frozen.sendSignal('SIGCONT');
    }
    await waitUntil('the frozen relay has lost leadership', () =>
      /^(?=.*"role":"relay").*lost leadership/m.test(frozen.output()),
    );
    const after = await jobs.submitAsync();
    expect((await waitUntilJobEnded(caller, after.job_id)).status).toBe('DONE');
    const histories = [...(await readRenderHistories(installation)).values()];
    expect(histories.every(hasEnded)).toBe(true);
    expect(
      histories.map((history) => eventTypesOf(history).filter((type) => type === 'RenderCompleted').length),
    ).toEqual(histories.map(() => 1));
    await stopAll(frozen);
  });

  // This test is the last, because it ends the processes.
  it('is replaced when it is killed, and all accepted jobs end', async () => {
    const relay = await waitForLeader('relay', relays);
    const accepted = await Promise.all(Array.from({ length: 5 }, () => jobs.submitAsync()));
    await relay.stop('SIGKILL');
    for (const { job_id } of [...accepted, await jobs.submitAsync()])
      expect((await waitUntilJobEnded(caller, job_id)).status).toBe('DONE');
    const successor = await waitForLeader(
      'relay',
      relays.filter((one) => one !== relay),
    );
    expect(await waitForLeader('projector', [successor])).toBe(successor);
    await stopAll(api, renderer, successor);
  });
});

describe.skipIf(!areServersAvailable)('A caller whose reply is lost', () => {
  beforeEach(open);
  afterEach(close);

  it('gets the PDF from another render of the document', async () => {
    const [front, renderer] = await Promise.all([
      installation.start('api', 'relay', 'projector'),
      installation.start('renderer'),
    ]);
    const response = createClient(front.url, key).convert('html', scriptTracker.document('lost'), { wait_time: 5_000 });
    await scriptTracker.waitUntilRun('lost');
    // Another process completes the render without sending a reply, before the renderer can.
    renderer.sendSignal('SIGSTOP');
    await withInstallationEngines(installation, async ({ store }) => {
      const stream = [...(await readRenderHistories(installation)).keys()][0]!;
      const { history, aggregate } = await loadAggregate({ store, now: () => new Date() }, render, stream);
      await aggregate.execute({ type: 'complete', data: completed }, causedBy(history[0]!, 'tests'));
    }).finally(() => renderer.sendSignal('SIGCONT'));
    const { status, body } = await response;
    expect([status, await textOf(body.pdf_base64)]).toEqual([200, 'lost']);
    const histories = [...(await readRenderHistories(installation)).values()];
    expect(histories.map((history) => eventTypesOf(history).at(-1))).toEqual(['PdfRegenerationEnded']);
    await stopAll(front, renderer);
  });
});
