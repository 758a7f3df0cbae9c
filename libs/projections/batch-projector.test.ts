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

/** Folds batches of events, by type, over a stored document; tells what was read and written. */
const projectBatches = async (stored: PositionedDocument, ...batches: EventType[][]) => {
  const read: string[] = [];
  const written: StoredDocument[][] = [];
  const fold = createBatchProjector({
    read: async ({ id }) => (read.push(id), id === 'one' ? stored : { document: null, position: 0 }),
    write: async (documents) => void written.push([...documents]),
  });
  let position = 0;
  for (const types of batches) {
    const events = types.map((type, index) => ({ type, position: position + index + 1 }) as unknown as RecordedEvent);
    await fold([{ projection: tallies, generation: 'g', position }], events);
    position += types.length;
  }
  return { read, written: written.map((documents) => documents.map(({ document, position: at }) => [document, at])) };
};
const absent = { document: null, position: 0 };
const before = { document: { types: ['before'] }, position: 0 };

describe('A document', () => {
  it('is not read where an event begins it, whatever follows at once', async () => {
    expect(await projectBatches(before, ['TemplateCreated', 'TemplateVersioned'])).toEqual({
      read: [],
      written: [[[{ types: ['TemplateCreated', 'TemplateVersioned'] }, 2]]],
    });
  });

  it('is read once, and not again after it was written', async () => {
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

  it('that holds events already skips them, and is not written where there is no other', async () => {
    const ahead = { document: { types: ['before'] }, position: 2 };
    expect(
      (await projectBatches(ahead, ['TemplateVersioned', 'TemplateVersioned', 'TemplateVersioned'])).written,
    ).toEqual([[[{ types: ['before', 'TemplateVersioned'] }, 3]]]);
    expect((await projectBatches(ahead, ['TemplateVersioned', 'TemplateVersioned'])).written).toEqual([]);
  });

  it('is written as removed with its position, and not at all where it never was', async () => {
    expect((await projectBatches(before, ['TemplateDeleted'])).written).toEqual([[[null, 1]]]);
    expect((await projectBatches(absent, ['TemplateDeleted', 'AccountReinstated'])).written).toEqual([]);
  });
});
