import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
import { areServersAvailable, openServersEnvironment } from '../support/environment.ts';
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
let key: string;
let caller: ApiClient;
let api: RunningService;
let relaying: RunningService[];
let renderers: RunningService[];

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

const newHistories = (all: ReadonlyMap<string, RecordedEvent[]>, known: ReadonlyMap<string, unknown>) =>
  [...all].flatMap(([stream, history]) => (known.has(stream) ? [] : [history]));
const completions = (histories: readonly RecordedEvent[][]): number[] =>
  histories.map((history) => eventTypesOf(history).filter((type) => type === 'RenderCompleted').length);

describe.skipIf(!areServersAvailable)('A service in several processes', () => {
  beforeAll(async () => {
    const [tracker, environment] = await Promise.all([openScriptTracker(), openServersEnvironment()]);
    scriptTracker = tracker;
    installation = await openTestInstallation({ COLOPHON_EGRESS_ALLOW: scriptTracker.host }, environment);
    key = await createUnlimitedKey(installation, '--plan', 'enterprise');
    const start = (...roles: string[]): Promise<RunningService> => installation.start(...roles);
    [api, ...relaying] = await Promise.all([
      start('api'),
      start('relay', 'projector', 'delivery'),
      start('relay', 'projector', 'sweeper'),
    ]);
    renderers = await Promise.all([start('renderer'), start('renderer')]);
    caller = createClient(api.url, key);
  });
  afterAll(async () => {
    try {
      await stopAll(api, ...relaying, ...renderers);
    } finally {
      await installation?.remove();
      scriptTracker?.close();
    }
  });

  it('works as in one process, with browsers in the renderers only', async () => {
    expect(await textOf((await caller.render('markdown', '# In parts')).pdf_base64)).toBe('In parts');
    expectErrorResponse(await caller.convert('html', '<p'), 'invalid_html', { line: 1 });
    const jobs = createJobClient(caller);
    expect(await jobs.waitUntilEnded((await jobs.submitAsync()).job_id)).toMatchObject({ status: 'DONE', pages: 1 });
    const hasBrowser = ({ pid }: RunningService): boolean =>
      descendantsOf(pid).some(({ command }) => command.includes('--remote-debugging-pipe'));
    expect([api, ...relaying].filter(hasBrowser)).toEqual([]);
    expect(renderers.some(hasBrowser)).toBe(true);
  });

  it('has liveness and readiness probes in each process', async () => {
    const probe = async ({ url }: RunningService, name: string) => (await fetch(`${url}/health/${name}`)).json();
    for (const service of [api, ...relaying, ...renderers]) {
      expect(await probe(service, 'live')).toEqual({ status: 'live' });
      // The renderer also names what this machine cannot print.
      const { limitations = [], ...ready } = (await probe(service, 'ready')) as { limitations?: string[] };
      expect(ready).toEqual({ status: 'ready' });
      if (!renderers.includes(service)) expect(limitations).toEqual([]);
    }
  });

  it('gives a caller whose reply is lost the PDF from another render of the document', async () => {
    const known = await readRenderHistories(installation);
    const response = caller.convert('html', scriptTracker.document('lost'), { wait_time: 5_000 });
    await scriptTracker.waitUntilRun('lost');
    // Another process completes the render without sending a reply, before the renderer can.
    for (const renderer of renderers) renderer.sendSignal('SIGSTOP');
    await withInstallationEngines(installation, async ({ store }) => {
      const stream = [...(await readRenderHistories(installation)).keys()].find((name) => !known.has(name))!;
      const { history, aggregate } = await loadAggregate({ store, now: () => new Date() }, render, stream);
      await aggregate.execute({ type: 'complete', data: completed }, causedBy(history[0]!, 'tests'));
    }).finally(() => {
      for (const renderer of renderers) renderer.sendSignal('SIGCONT');
    });
    const { status, body } = await response;
    expect([status, await textOf(body.pdf_base64)]).toEqual([200, 'lost']);
    // The caller may get the PDF before the end is recorded.
    const lastTypes = (all: Parameters<typeof newHistories>[0]) =>
      newHistories(all, known).map((history) => eventTypesOf(history).at(-1));
    const ended = await waitForRenderHistories(installation, 'the end is recorded', (all) =>
      lastTypes(all).includes('PdfRegenerationEnded'),
    );
    expect(lastTypes(ended)).toEqual(['PdfRegenerationEnded']);
  });

  it('shares the renders between two renderers, and when one is killed the other finishes them', async () => {
    const known = await readRenderHistories(installation);
    const names = Array.from({ length: 12 }, (_, n) => `shared-${n}`);
    // Documents without scripts wait without a page. Twelve pages of one browser can take a minute on a busy machine.
    const responses = names.map((name) => caller.convert('html', `<p>${name}</p>`, { wait_time: 2_000 }));
    const workers = (all: ReadonlyMap<string, RecordedEvent[]>): Set<string> =>
      new Set(newHistories(all, known).flatMap(workersIn));
    await waitForRenderHistories(installation, 'both renderers have started renders', (all) => workers(all).size === 2);
    const killed = renderers.shift()!;
    expect((await killed.stop('SIGKILL')).code).toBeNull();
    for (const [index, response] of (await Promise.all(responses)).entries()) {
      expect(response.status, response.text.slice(0, 300)).toBe(200);
      expect(await textOf(response.body.pdf_base64)).toBe(names[index]);
    }
    const all = await readRenderHistories(installation);
    expect(workers(all).size).toBe(2);
    expect(completions(newHistories(all, known))).toEqual(names.map(() => 1));
  });

  it('has another relay and projector as leader when the leader is frozen, which does no harm when it continues', async () => {
    const jobs = createJobClient(caller);
    const frozen = await waitForLeader('relay', relaying);
    const remaining = relaying.filter((one) => one !== frozen);
    try {
      frozen.sendSignal('SIGSTOP');
      const accepted = await Promise.all(Array.from({ length: 5 }, () => jobs.submitAsync()));
      for (const { job_id } of accepted) expect((await waitUntilJobEnded(caller, job_id)).status).toBe('DONE');
      for (const role of ['relay', 'projector']) await waitForLeader(role, remaining);
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
    expect(completions(histories).filter((count) => count > 1)).toEqual([]);
  });

  it('has another relay as leader when the leader is killed, and ends all accepted jobs', async () => {
    const jobs = createJobClient(caller);
    const killed = await waitForLeader('relay', relaying);
    relaying = relaying.filter((one) => one !== killed);
    const accepted = await Promise.all(Array.from({ length: 5 }, () => jobs.submitAsync()));
    await killed.stop('SIGKILL');
    for (const { job_id } of [...accepted, await jobs.submitAsync()])
      expect((await waitUntilJobEnded(caller, job_id)).status).toBe('DONE');
    for (const role of ['relay', 'projector']) expect(relaying).toContain(await waitForLeader(role, relaying));
  });
});
