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

let beacon: ScriptTracker;
const at = serviceForTestFile(async () => {
  beacon = await openScriptTracker();
  return { COLOPHON_EGRESS_ALLOW: beacon.host };
});
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
});
afterAll(() => beacon.close());

const storyOf = async (id: unknown): Promise<string[]> =>
  (await readRenderEvents(at.installation, id)).map(({ type }) => type);
const ready = () =>
  waitUntil('the service is ready', async () => (await fetch(`${at.service.url}/health/ready`)).status === 200);

describe('A browser that dies in the middle of a document', () => {
  it.each(['pages', 'browsers'] as const)('costs an attempt, not the document (%s)', async (victims) => {
    const answer = caller.convert('html', beacon.document(victims), { wait_time: 1500 });
    await beacon.waitUntilRun(victims);
    expect(killBrowserProcesses(at.service, victims)).toBeGreaterThan(0);
    const { status, body, text } = await answer;
    expect(status, text.slice(0, 300)).toBe(200);
    expect((await readPdf(String(body.pdf_base64)))[0]!.text.trim()).toBe(victims);
    expect(await storyOf(body.id)).toEqual(['RenderRequested', 'RenderStarted', 'RenderStarted', 'RenderCompleted']);
    await ready();
  });

  it('at every attempt is the fault of the document, and of no other', async () => {
    const answer = caller.convert('html', beacon.document('deadly'), { wait_time: 3000 });
    for (const attempt of [1, 2, 3]) {
      await beacon.waitUntilRun('deadly', attempt);
      killBrowserProcesses(at.service, 'pages');
    }
    const { render_id: id } = expectErrorResponse(await answer, 'conversion_failed');
    expect(await storyOf(id)).toEqual([
      'RenderRequested',
      'RenderStarted',
      'RenderStarted',
      'RenderStarted',
      'RenderFailed',
    ]);
    await caller.render('html', '<p>x</p>');
    await caller.render('html', '<p>x</p><script>1</script>');
  });

  it('does not cost the documents that come at the same time', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `crowd-${i}`);
    const answers = names.map((name, index) =>
      caller.convert('html', index % 2 === 0 ? beacon.document(name) : `<p>${name}</p>`, { wait_time: 200 }),
    );
    await beacon.waitUntilRun('crowd-0');
    killBrowserProcesses(at.service, 'browsers');
    for (const [index, answer] of (await Promise.all(answers)).entries()) {
      expect(answer.status, answer.text.slice(0, 300)).toBe(200);
      expect((await readPdf(String(answer.body.pdf_base64)))[0]!.text.trim()).toBe(names[index]);
    }
  });

  it('while nothing runs costs no document an attempt', async () => {
    killBrowserProcesses(at.service, 'browsers');
    await ready();
    killBrowserProcesses(at.service, 'pages');
    for (const html of ['<p>x</p>', '<p>x</p><script>1</script>']) {
      const { id } = await caller.render('html', html);
      expect((await storyOf(id)).at(-1)).toBe('RenderCompleted');
    }
  });
});
