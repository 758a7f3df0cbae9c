import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { openPromisedBlobs } from './promised-blobs.ts';

const now = new Date('2026-05-20T12:00:00.000Z');
const later = '2026-05-20T12:30:00.000Z';

let position = 0;
const event = (stream: string, type: string, data: unknown): RecordedEvent => ({ stream, type, data, position: (position += 1), revision: 0, id: String(position), version: 1, metadata: {} }) as unknown as RecordedEvent;
const ref = (sha256: string) => ({ sha256, size: 1 });
const released = async (name: string): Promise<Record<string, unknown>> =>
  (JSON.parse(await readFile(new URL(`../../test/fixtures/events/${name}.json`, import.meta.url), 'utf8')) as { event: { data: Record<string, unknown> } }).event.data;

const promised = (...events: RecordedEvent[]): string[] => {
  const blobs = openPromisedBlobs();
  events.forEach((one) => blobs.add(one));
  return [...blobs.at(now)].toSorted();
};

describe('The event log promises', () => {
  it('what a document is made from', async () => {
    const convert = await released('RenderRequested.v1.convert');
    const template = { mode: 'RENDER', templateId: 't', templateVersion: 1, content: ref('content'), data: ref('data'), settings: ref('settings') };
    expect(promised(event('render-a', 'RenderRequested', { ...convert, source: { mode: 'CONVERT', inputType: 'html', input: ref('input') }, bands: { header: ref('header'), footer: null } }))).toEqual(['header', 'input']);
    expect(promised(event('render-a', 'RenderRequested', { ...convert, source: template, bands: { header: null, footer: null } }))).toEqual(['content', 'data', 'settings']);
  });

  it('a PDF that is kept, until its time is over or it was erased, and no other', async () => {
    const completed = { ...(await released('RenderCompleted.v1')), pdf: ref('pdf') };
    const kept = (id: string, keptUntil: string | null): RecordedEvent => event(`render-${id}`, 'RenderCompleted', { ...completed, keptUntil });
    expect(promised(kept('a', later))).toEqual(['pdf']);
    expect(promised(kept('a', null))).toEqual([]);
    expect(promised(kept('a', now.toISOString()))).toEqual([]);
    expect(promised(kept('a', later), event('render-a', 'PdfErased', { sha256: 'pdf' }))).toEqual([]);
    // Of two renders with the same bytes one may end before the other.
    expect(promised(kept('a', later), kept('b', later), event('render-a', 'PdfErased', { sha256: 'pdf' }))).toEqual(['pdf']);
  });

  it('what a callback says, and where it goes until that was erased', () => {
    const requested = [event('delivery-a', 'DeliveryRequested', { payload: ref('payload'), sealed: ref('box') }), event('delivery-a', 'RedeliveryRequested', { round: 2, target: { sealed: ref('other box') } })];
    expect(promised(...requested)).toEqual(['box', 'other box', 'payload']);
    expect(promised(...requested, event('delivery-a', 'WebhookTargetErased', { sha256: 'box' }))).toEqual(['other box', 'payload']);
  });

  it('every version of a template', () => {
    const body = (name: string) => ({ body: { content: ref(`${name} content`), settings: ref('settings') } });
    expect(promised(event('template-a', 'TemplateCreated', body('first')), event('template-a', 'TemplateVersioned', body('second')), event('template-a', 'TemplateDeleted', { version: 2 }))).toEqual(['first content', 'second content', 'settings']);
  });
});
