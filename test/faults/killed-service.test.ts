import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderModes } from '#contracts/render-modes.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { createClient } from '../support/client/api-client.ts';
import { type TestInstallation, openTestInstallation } from '../support/service/installation.ts';
import { type ScriptTracker, openScriptTracker } from '../support/documents/script-tracker.ts';
import { browserFoldersOf, descendantsOf, type ProcessInfo, stillRunning } from '../support/processes/process-tree.ts';
import { renderInEachMode } from '../support/renders/render-in-each-mode.ts';
import {
  eventTypesOf,
  hasEnded,
  readRenderHistories,
  waitForRenderHistories,
} from '../support/renders/render-histories.ts';

let scriptTracker: ScriptTracker;
let installation: TestInstallation;
let key: string;
let processes: ProcessInfo[];
let browserFolders: string[];
let temporary: string;
let leftFolders: string[];
/** The names of the temporary folders of composed documents. */
const temporaryFolders = async (): Promise<string[]> =>
  (await readdir(temporary)).filter((name) => name.startsWith('colophon-parts-'));
const names = Array.from({ length: 6 }, (_, i) => `killed-${i}`);
const completed: string[] = [];
let responses: unknown[];
beforeAll(async () => {
  scriptTracker = await openScriptTracker();
  temporary = await mkdtemp(join(tmpdir(), 'colophon-killed-'));
  // As /tmp, because browsers run as another user.
  await chmod(temporary, 0o1777);
  installation = await openTestInstallation({ COLOPHON_EGRESS_ALLOW: scriptTracker.host, TMPDIR: temporary });
  key = await createUnlimitedKey(installation, '--plan', 'enterprise');
  const service = await installation.start();
  const caller = createClient(service.url, key);
  for (const { id } of await renderInEachMode(caller)) completed.push(id.replace('_', '-'));
  const part = { mode: 'CONVERT', input_type: 'html', data: scriptTracker.heldDocument('part') };
  const composed = caller.postRender({ mode: 'COMPOSE', parts: [part] });
  const [first, ...others] = names.map((name) => caller.convert('html', scriptTracker.heldDocument(name)));
  const disconnecting = [composed, ...others].map((response) => response.catch(() => 'disconnected'));
  await Promise.all([
    scriptTracker.waitUntilRun('part'),
    scriptTracker.waitUntilRun('killed-0'),
    waitForRenderHistories(
      installation,
      'all have been accepted',
      ({ size }) => size === completed.length + names.length + 1,
    ),
  ]);
  processes = descendantsOf(service.pid);
  browserFolders = browserFoldersOf(processes, temporary);
  // Nothing else happens between this response and the kill.
  scriptTracker.release('killed-0');
  completed.push(String((await first!).body.id).replace('_', '-'));
  await service.stop('SIGKILL');
  leftFolders = await temporaryFolders();
  responses = await Promise.all(disconnecting);
});
afterAll(async () => {
  await installation.remove();
  await rm(temporary, { recursive: true, force: true, maxRetries: 5 });
  scriptTracker.close();
});

describe('A service that is killed during renders', () => {
  it('leaves no browser process and no browser folder behind', async () => {
    expect(browserFolders.length).toBe(renderModes.length);
    await expect.poll(() => stillRunning(processes)).toEqual([]);
    await expect.poll(() => browserFolders.filter((folder) => existsSync(folder))).toEqual([]);
  });

  it('keeps every render that it has responded to', async () => {
    const histories = await readRenderHistories(installation);
    expect(completed.map((stream) => eventTypesOf(histories.get(stream)!).at(-1))).toEqual(
      completed.map(() => 'RenderCompleted'),
    );
  });

  it('completes each of the others once after a restart, and removes the temporary folder of a composed one', async () => {
    expect(responses).toContain('disconnected');
    expect(leftFolders).toHaveLength(1);
    for (const name of ['part', ...names]) scriptTracker.release(name);
    const service = await installation.start();
    const ended = await waitForRenderHistories(installation, 'every render has ended', (all) =>
      [...all.values()].every(hasEnded),
    );
    await expect.poll(temporaryFolders).toEqual([]);
    const histories = [...ended.values()];
    expect(
      histories.map((history) => eventTypesOf(history).filter((type) => type === 'RenderCompleted').length),
    ).toEqual(histories.map(() => 1));
    expect(histories.map(eventTypesOf)).toContainEqual([
      'RenderRequested',
      'RenderStarted',
      'RenderStarted',
      'RenderCompleted',
    ]);
    await createClient(service.url, key).render('html', '<p>x</p>');
    expect((await service.stop('SIGTERM')).code).toBe(0);
  });
});
