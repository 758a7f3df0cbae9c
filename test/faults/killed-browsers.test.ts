import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freeKey } from '../e2e/accounts.ts';
import { type Client, clientOf } from '../e2e/client.ts';
import { eventsOf } from '../e2e/events.ts';
import { readPdf } from '../e2e/pdf.ts';
import { expectRefusal } from '../e2e/refusals.ts';
import { serviceForFile } from '../e2e/service.ts';
import { until } from '../e2e/until.ts';
import { type Beacon, openBeacon } from './beacon.ts';
import { kill } from './processes.ts';

let beacon: Beacon;
const at = serviceForFile(async () => {
  beacon = await openBeacon();
  return { COLOPHON_EGRESS_ALLOW: beacon.host };
});
let caller: Client;
beforeAll(async () => {
  caller = clientOf(at.service.url, await freeKey(at.house));
});
afterAll(() => beacon.close());

const storyOf = async (id: unknown): Promise<string[]> => (await eventsOf(at.house, id)).map(({ type }) => type);
const ready = () => until('the service is ready', async () => (await fetch(`${at.service.url}/health/ready`)).status === 200);

describe('A browser that dies in the middle of a document', () => {
  it.each(['pages', 'browsers'] as const)('costs an attempt, not the document (%s)', async (victims) => {
    const answer = caller.convert('html', beacon.document(victims), { wait_time: 1500 });
    await beacon.ran(victims);
    expect(kill(at.service, victims)).toBeGreaterThan(0);
    const { status, body, text } = await answer;
    expect(status, text.slice(0, 300)).toBe(200);
    expect((await readPdf(String(body.pdf_base64)))[0]!.text.trim()).toBe(victims);
    expect(await storyOf(body.id)).toEqual(['RenderRequested', 'RenderStarted', 'RenderStarted', 'RenderCompleted']);
    await ready();
  });

  it('at every attempt is the fault of the document, and of no other', async () => {
    const answer = caller.convert('html', beacon.document('deadly'), { wait_time: 3000 });
    for (const attempt of [1, 2, 3]) {
      await beacon.ran('deadly', attempt);
      kill(at.service, 'pages');
    }
    const { render_id: id } = expectRefusal(await answer, 'conversion_failed');
    expect(await storyOf(id)).toEqual(['RenderRequested', 'RenderStarted', 'RenderStarted', 'RenderStarted', 'RenderFailed']);
    await caller.render('html', '<p>x</p>');
    await caller.render('html', '<p>x</p><script>1</script>');
  });

  it('does not cost the documents that come at the same time', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `crowd-${i}`);
    const answers = names.map((name, index) => caller.convert('html', index % 2 === 0 ? beacon.document(name) : `<p>${name}</p>`, { wait_time: 200 }));
    await beacon.ran('crowd-0');
    kill(at.service, 'browsers');
    for (const [index, answer] of (await Promise.all(answers)).entries()) {
      expect(answer.status, answer.text.slice(0, 300)).toBe(200);
      expect((await readPdf(String(answer.body.pdf_base64)))[0]!.text.trim()).toBe(names[index]);
    }
  });

  it('while nothing runs costs no document an attempt', async () => {
    kill(at.service, 'browsers');
    await ready();
    kill(at.service, 'pages');
    for (const html of ['<p>x</p>', '<p>x</p><script>1</script>']) {
      const { id } = await caller.render('html', html);
      expect((await storyOf(id)).at(-1)).toBe('RenderCompleted');
    }
  });
});
