import { describe, expect, it } from 'vitest';
import type { EventType } from '#contracts/events/event-schemas.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { PositionedDocument, StoredDocument } from '#libs/read-store/port.ts';
import { createBatchProjector } from './batch-projector.ts';
import type { Projection } from './projection.ts';

type Tally = { types: string[] };
const add =
  (type: string) =>
  (tally: Tally | null): Tally => ({ types: [...(tally?.types ?? []), type] });
const tallies: Projection<Tally> = {
  model: 'tallies',
  collection: { name: 'tallies', indexes: [] },
  handlers: {
    TemplateCreated: ({ type }) => ({ id: 'one', createsDocument: true, evolve: add(type) }),
    TemplateVersioned: ({ type }) => ({ id: 'one', evolve: add(type) }),
    TemplateDeleted: () => ({ id: 'one', evolve: () => null }),
    AccountReinstated: () => ({ id: 'none', evolve: (document) => document }),
  },
};

/** Projects batches of events over a stored document. Returns the ids that were read and the documents that were written. */
const projectBatches = async (stored: PositionedDocument, ...batches: EventType[][]) => {
  const read: string[] = [];
  const written: StoredDocument[][] = [];
  const project = createBatchProjector({
    read: async ({ id }) => (read.push(id), id === 'one' ? stored : { document: null, position: 0 }),
    write: async (documents) => void written.push([...documents]),
  });
  let position = 0;
  for (const types of batches) {
    const events = types.map((type, index) => ({ type, position: position + index + 1 }) as unknown as RecordedEvent);
    await project([{ projection: tallies, generation: 'g', position }], events);
    position += types.length;
  }
  return { read, written: written.map((documents) => documents.map(({ document, position: at }) => [document, at])) };
};
const absent = { document: null, position: 0 };
const before = { document: { types: ['before'] }, position: 0 };

describe('A document', () => {
  it('is not read if an event creates it, also with more events in the batch', async () => {
    expect(await projectBatches(before, ['TemplateCreated', 'TemplateVersioned'])).toEqual({
      read: [],
      written: [[[{ types: ['TemplateCreated', 'TemplateVersioned'] }, 2]]],
    });
  });

  it('is read once, and not again after a write', async () => {
    const { read, written } = await projectBatches(
      before,
      ['TemplateVersioned', 'TemplateVersioned'],
      ['TemplateVersioned'],
    );
    expect(read).toEqual(['one']);
    expect(written).toEqual([
      [[{ types: ['before', 'TemplateVersioned', 'TemplateVersioned'] }, 2]],
      [[{ types: ['before', 'TemplateVersioned', 'TemplateVersioned', 'TemplateVersioned'] }, 3]],
    ]);
  });

  it('skips events that it already contains, and is not written if there are no others', async () => {
    const ahead = { document: { types: ['before'] }, position: 2 };
    expect(
      (await projectBatches(ahead, ['TemplateVersioned', 'TemplateVersioned', 'TemplateVersioned'])).written,
    ).toEqual([[[{ types: ['before', 'TemplateVersioned'] }, 3]]]);
    expect((await projectBatches(ahead, ['TemplateVersioned', 'TemplateVersioned'])).written).toEqual([]);
  });

  it('is written as removed with its position, and not at all if it never existed', async () => {
    expect((await projectBatches(before, ['TemplateDeleted'])).written).toEqual([[[null, 1]]]);
    expect((await projectBatches(absent, ['TemplateDeleted', 'AccountReinstated'])).written).toEqual([]);
  });
});
