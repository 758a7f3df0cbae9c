import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { type TestInstallation, openTestInstallation, type RunningService } from '../support/service/installation.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type ScriptTracker, openScriptTracker } from '../support/documents/script-tracker.ts';
import { hasEnded, readRenderHistories, eventTypesOf } from '../support/renders/render-histories.ts';

let beacon: ScriptTracker;
let house: TestInstallation;
let service: RunningService;
let caller: ApiClient;
let key: string;
beforeAll(async () => {
  beacon = await openScriptTracker();
  house = await openTestInstallation({ COLOPHON_EGRESS_ALLOW: beacon.host });
  key = await createUnlimitedKey(house);
});
beforeEach(async () => {
  service = await house.start();
  caller = createClient(service.url, key);
});
afterEach(async () => {
  expect((await service.stop('SIGTERM')).code).toBe(0);
});
afterAll(async () => {
  await house.remove();
  beacon.close();
});

describe('A service that is killed in the middle of renders', () => {
  it('ends every one of them once it is back, each once', async () => {
    const names = Array.from({ length: 6 }, (_, i) => `killed-${i}`);
    const hungUp = names.map((name) =>
      caller.convert('html', beacon.document(name), { wait_time: 1000 }).catch(() => 'hung up'),
    );
    await Promise.all([
      beacon.waitUntilRun('killed-0'),
      waitUntil('all have been accepted', async () => (await readRenderHistories(house)).size === names.length),
    ]);
    await service.stop('SIGKILL');
    expect(await Promise.all(hungUp)).toContain('hung up');

    service = await house.start();
    const stories = await waitUntil('every render has ended', async () => {
      const all = [...(await readRenderHistories(house)).values()];
      return all.every(hasEnded) && all;
    });
    expect(stories.map((story) => eventTypesOf(story).filter((type) => type === 'RenderCompleted').length)).toEqual(
      names.map(() => 1),
    );
    expect(stories.map(eventTypesOf)).toContainEqual([
      'RenderRequested',
      'RenderStarted',
      'RenderStarted',
      'RenderCompleted',
    ]);
    await createClient(service.url, key).render('html', '<p>x</p>');
  }, 60_000);

  it('loses nothing that it has said was done', async () => {
    const rendered = await Promise.all(Array.from({ length: 10 }, (_, i) => caller.render('html', `<p>${i}</p>`)));
    await service.stop('SIGKILL');
    const stories = await readRenderHistories(house);
    for (const { id } of rendered)
      expect(eventTypesOf(stories.get(id.replace('_', '-'))!).at(-1)).toBe('RenderCompleted');
    service = await house.start();
  });
});
