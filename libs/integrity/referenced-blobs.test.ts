import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { BlobNotFound } from '#libs/blob-store/port.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { checkBlobs, createReferencedBlobs } from './referenced-blobs.ts';

const now = new Date('2026-05-20T12:00:00.000Z');
const later = '2026-05-20T12:30:00.000Z';

let position = 0;
const event = (stream: string, type: string, data: unknown): RecordedEvent =>
  ({
    stream,
    type,
    data,
    position: (position += 1),
    revision: 0,
    id: String(position),
    version: 1,
    metadata: {},
  }) as unknown as RecordedEvent;
const ref = (sha256: string) => ({ sha256, size: 1 });
const loadRecordedEventData = async (name: string): Promise<Record<string, unknown>> =>
  (
    JSON.parse(await readFile(new URL(`../../test/fixtures/events/${name}.json`, import.meta.url), 'utf8')) as {
      event: { data: Record<string, unknown> };
    }
  ).event.data;

const hashesOf = (...events: RecordedEvent[]) => {
  const blobs = createReferencedBlobs();
  events.forEach((recorded) => blobs.addEvent(recorded));
  return blobs.hashesAt(now);
};
const referencedHashes = (...events: RecordedEvent[]): string[] => [...hashesOf(...events).required].toSorted();
const optionalHashes = (...events: RecordedEvent[]): string[] => [...hashesOf(...events).optional].toSorted();

describe('The event log refers to', () => {
  it('the inputs of a document', async () => {
    const convert = await loadRecordedEventData('RenderRequested.v1.convert');
    const template = {
      mode: 'RENDER',
      templateId: 't',
      templateVersion: 1,
      content: ref('content'),
      data: ref('data'),
      settings: ref('settings'),
    };
    expect(
      referencedHashes(
        event('render-a', 'RenderRequested', {
          ...convert,
          source: { mode: 'CONVERT', inputType: 'html', input: ref('input'), assets: ref('assets') },
          headerFooter: { header: ref('header'), footer: null },
          largeOptions: ref('large options'),
        }),
      ),
    ).toEqual(['assets', 'header', 'input', 'large options']);
    expect(
      referencedHashes(
        event('render-a', 'RenderRequested', {
          ...convert,
          source: template,
          headerFooter: { header: null, footer: null },
        }),
      ),
    ).toEqual(['content', 'data', 'settings']);
  });

  it('a stored PDF until it expires or is erased', async () => {
    const completed = { ...(await loadRecordedEventData('RenderCompleted.v1')), pdf: ref('pdf') };
    const kept = (id: string, keptUntil: string | null): RecordedEvent =>
      event(`render-${id}`, 'RenderCompleted', { ...completed, keptUntil });
    expect(referencedHashes(kept('a', later))).toEqual(['pdf']);
    expect(referencedHashes(kept('a', null))).toEqual([]);
    expect(referencedHashes(kept('a', now.toISOString()))).toEqual([]);
    expect(referencedHashes(kept('a', later), event('render-a', 'PdfErased', { sha256: 'pdf' }))).toEqual([]);
    const withThumbnail = { ...completed, thumbnail: ref('thumbnail'), keptUntil: later };
    expect(referencedHashes(event('render-a', 'RenderCompleted', withThumbnail))).toEqual(['pdf', 'thumbnail']);
    expect(referencedHashes(event('render-a', 'RenderCompleted', { ...withThumbnail, keptUntil: null }))).toEqual([]);
    // Two renders can have the same PDF, and one can be erased first.
    expect(
      referencedHashes(kept('a', later), kept('b', later), event('render-a', 'PdfErased', { sha256: 'pdf' })),
    ).toEqual(['pdf']);
  });

  it('a PDF that was made again, with its image', () => {
    const regenerated = { pdf: ref('pdf'), keptUntil: later };
    expect(optionalHashes(event('render-a', 'PdfRegenerationEnded', regenerated))).toEqual(['pdf']);
    expect(optionalHashes(event('render-a', 'PdfRegenerationEnded', { pdf: null, keptUntil: null }))).toEqual([]);
    const outcome = { kind: 'rendered', pdf: ref('pdf'), thumbnail: ref('thumbnail') };
    const verified = (keptUntil: string | null) => event('render-a', 'RenderVerified', { outcome, keptUntil });
    expect(optionalHashes(verified(later))).toEqual(['pdf', 'thumbnail']);
    expect(optionalHashes(verified(null))).toEqual([]);
    expect(optionalHashes(verified(later), event('render-a', 'PdfErased', { sha256: 'pdf' }))).toEqual(['thumbnail']);
    expect(referencedHashes(verified(later))).toEqual([]);
  });

  it('the payload of a webhook, and its target until that is erased', () => {
    const requested = [
      event('delivery-a', 'DeliveryRequested', { payload: ref('payload'), sealed: ref('box') }),
      event('delivery-a', 'RedeliveryRequested', { round: 2, target: { sealed: ref('other box') } }),
    ];
    expect(referencedHashes(...requested)).toEqual(['box', 'other box', 'payload']);
    expect(referencedHashes(...requested, event('delivery-a', 'WebhookTargetErased', { sha256: 'box' }))).toEqual([
      'other box',
      'payload',
    ]);
  });

  it('every version of a template', () => {
    const body = (name: string) => ({ body: { content: ref(`${name} content`), settings: ref('settings') } });
    expect(
      referencedHashes(
        event('template-a', 'TemplateCreated', body('first')),
        event('template-a', 'TemplateVersioned', { body: { ...body('second').body, sampleData: ref('sample') } }),
        event('template-a', 'TemplateDeleted', { version: 2 }),
      ),
    ).toEqual(['first content', 'sample', 'second content', 'settings']);
  });
});

describe('The check of blobs', () => {
  it('reports missing ones only where they were stored before their event, and damaged ones always', async () => {
    const blobs = {
      get: async (sha256: string) => {
        throw new BlobNotFound(sha256);
      },
      has: async (sha256: string) => sha256 === 'damaged',
    };
    const hashes = { required: new Set(['required']), optional: new Set(['optional', 'damaged']) };
    expect(await checkBlobs(blobs, hashes)).toEqual({
      checked: 3,
      problems: [
        { sha256: 'required', problem: 'is missing' },
        { sha256: 'damaged', problem: expect.stringContaining('is damaged') as string },
      ],
    });
  });
});
