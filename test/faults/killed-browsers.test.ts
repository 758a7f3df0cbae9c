import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { readRenderEvents } from '../support/service/render-events.ts';
import { readPdf } from '../support/documents/read-pdf.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { serviceForTestFile } from '../support/service/for-test-file.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type ScriptTracker, openScriptTracker } from '../support/documents/script-tracker.ts';
import { killBrowserProcesses } from '../support/processes/process-tree.ts';

let scriptTracker: ScriptTracker;
const running = serviceForTestFile(async () => {
  scriptTracker = await openScriptTracker();
  return { COLOPHON_EGRESS_ALLOW: scriptTracker.host };
});
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(running.service.url, await createUnlimitedKey(running.installation, '--plan', 'enterprise'));
});
afterAll(() => scriptTracker.close());

const eventTypesOfRender = async (id: unknown): Promise<string[]> =>
  (await readRenderEvents(running.installation, id)).map(({ type }) => type);
const waitUntilReady = () =>
  waitUntil('the service is ready', async () => (await fetch(`${running.service.url}/health/ready`)).status === 200);

describe('A browser that is killed during a document', () => {
  it.each(['pages', 'browsers'] as const)('costs the document one attempt (%s)', async (killed) => {
    const response = caller.convert('html', scriptTracker.heldDocument(killed));
    await scriptTracker.waitUntilRun(killed);
    expect(killBrowserProcesses(running.service, killed)).toBeGreaterThan(0);
    scriptTracker.release(killed);
    const { status, body, text } = await response;
    expect(status, text.slice(0, 300)).toBe(200);
    expect((await readPdf(String(body.pdf_base64)))[0]!.text.trim()).toBe(killed);
    const [requested, first, ...others] = await eventTypesOfRender(body.id);
    expect([requested, first]).toEqual(['RenderRequested', 'RenderStarted']);
    // The page that was opened in advance is killed, too. A busy machine may tell it after the second attempt has taken it.
    const twice = ['RenderStarted', 'RenderStarted', 'RenderCompleted'];
    expect(killed === 'pages' ? [twice.slice(1), twice] : [twice.slice(1)]).toContainEqual(others);
    await waitUntilReady();
  });

  it('at every attempt makes this document fail, and no other', async () => {
    const response = caller.convert('html', scriptTracker.endlessDocument('deadly'));
    for (const attempt of [1, 2, 3]) {
      await scriptTracker.waitUntilRun('deadly', attempt);
      killBrowserProcesses(running.service, 'pages');
    }
    const { render_id: id } = expectErrorResponse(await response, 'conversion_failed');
    expect(await eventTypesOfRender(id)).toEqual([
      'RenderRequested',
      'RenderStarted',
      'RenderStarted',
      'RenderStarted',
      'RenderFailed',
    ]);
    await caller.render('html', '<p>x</p>');
    await caller.render('html', '<p>x</p><script>1</script>');
  });

  it('does not make other documents fail that are rendered at the same time', async () => {
    const names = Array.from({ length: 8 }, (_, i) => `crowd-${i}`);
    const responses = names.map((name, index) =>
      caller.convert('html', index % 2 === 0 ? scriptTracker.document(name) : `<p>${name}</p>`, { wait_time: 200 }),
    );
    await scriptTracker.waitUntilRun('crowd-0');
    killBrowserProcesses(running.service, 'browsers');
    for (const [index, response] of (await Promise.all(responses)).entries()) {
      expect(response.status, response.text.slice(0, 300)).toBe(200);
      expect((await readPdf(String(response.body.pdf_base64)))[0]!.text.trim()).toBe(names[index]);
    }
  });

  it('while no document is rendered costs no document an attempt', async () => {
    const endedCount = (): number => running.service.output().split('browser ended').length - 1;
    const before = endedCount();
    const killed = killBrowserProcesses(running.service, 'browsers');
    await waitUntil('the service has noticed it', () => endedCount() === before + killed);
    await waitUntilReady();
    killBrowserProcesses(running.service, 'pages');
    for (const html of ['<p>x</p>', '<p>x</p><script>1</script>']) {
      const { id } = await caller.render('html', html);
      expect((await eventTypesOfRender(id)).at(-1)).toBe('RenderCompleted');
    }
  });
});
