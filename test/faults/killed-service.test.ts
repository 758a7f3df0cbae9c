import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { type TestInstallation, openTestInstallation, type RunningService } from '../support/service/installation.ts';
import { type ScriptTracker, openScriptTracker } from '../support/documents/script-tracker.ts';
import {
  eventTypesOf,
  hasEnded,
  readRenderHistories,
  waitForRenderHistories,
} from '../support/renders/render-histories.ts';

let scriptTracker: ScriptTracker;
let installation: TestInstallation;
let service: RunningService;
let caller: ApiClient;
let key: string;
beforeAll(async () => {
  scriptTracker = await openScriptTracker();
  installation = await openTestInstallation({ COLOPHON_EGRESS_ALLOW: scriptTracker.host });
  key = await createUnlimitedKey(installation, '--plan', 'enterprise');
});
beforeEach(async () => {
  service = await installation.start();
  caller = createClient(service.url, key);
});
afterEach(async () => {
  expect((await service.stop('SIGTERM')).code).toBe(0);
});
afterAll(async () => {
  await installation.remove();
  scriptTracker.close();
});

describe('A service that is killed during renders', () => {
  it('completes each of them once after a restart', async () => {
    const names = Array.from({ length: 6 }, (_, i) => `killed-${i}`);
    const responses = names.map((name) =>
      caller.convert('html', scriptTracker.document(name), { wait_time: 5_000 }).catch(() => 'disconnected'),
    );
    await Promise.all([
      scriptTracker.waitUntilRun('killed-0'),
      waitForRenderHistories(installation, 'all have been accepted', ({ size }) => size === names.length),
    ]);
    await service.stop('SIGKILL');
    expect(await Promise.all(responses)).toContain('disconnected');

    service = await installation.start();
    const ended = await waitForRenderHistories(installation, 'every render has ended', (all) =>
      [...all.values()].every(hasEnded),
    );
    const histories = [...ended.values()];
    expect(
      histories.map((history) => eventTypesOf(history).filter((type) => type === 'RenderCompleted').length),
    ).toEqual(names.map(() => 1));
    expect(histories.map(eventTypesOf)).toContainEqual([
      'RenderRequested',
      'RenderStarted',
      'RenderStarted',
      'RenderCompleted',
    ]);
    await createClient(service.url, key).render('html', '<p>x</p>');
  });

  it('keeps every render that it has responded to', async () => {
    const rendered = await Promise.all(Array.from({ length: 10 }, (_, i) => caller.render('html', `<p>${i}</p>`)));
    await service.stop('SIGKILL');
    const histories = await readRenderHistories(installation);
    for (const { id } of rendered)
      expect(eventTypesOf(histories.get(id.replace('_', '-'))!).at(-1)).toBe('RenderCompleted');
    service = await installation.start();
  });
});
