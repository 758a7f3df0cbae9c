import { describe, expect, it } from 'vitest';
import type { EventType } from '#contracts/events/all.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { Change, ModelWriter } from '#libs/read-store/port.ts';
import { projectTogether } from './project.ts';
import type { Projection } from './projection.ts';

type Tale = { heard: string[] };
const event = (type: EventType, position: number): RecordedEvent => ({ type, position }) as unknown as RecordedEvent;
const tell = (type: string) => (tale: Tale | null): Tale => ({ heard: [...(tale?.heard ?? []), type] });
const tales: Projection<Tale> = {
  model: 'tales',
  collection: { name: 'tales', indexes: [] },
  on: {
    TemplateCreated: ({ type }) => ({ id: 'one', begins: true, evolve: tell(type) }),
    TemplateVersioned: ({ type }) => ({ id: 'one', evolve: tell(type) }),
  },
};

const projected = async (types: readonly EventType[], at = 0): Promise<{ asked: string[]; changes: readonly Change[] }> => {
  const asked: string[] = [];
  const written: Change[] = [];
  const writer: ModelWriter = {
    held: async (_, id) => (asked.push(id), { document: { heard: ['before'] }, at }),
    checkpoint: async () => 0,
    advance: async (_, __, [update]) => (written.push(...update!.changes), true),
  };
  await projectTogether(writer, [tales], { after: 0, events: types.map((type, index) => event(type, index + 1)) });
  return { asked, changes: written };
};

describe('A document', () => {
  it('is not looked for where an event begins it, whatever follows at once', async () => {
    expect(await projected(['TemplateCreated', 'TemplateVersioned'])).toEqual({ asked: [], changes: [{ collection: 'tales', id: 'one', document: { heard: ['TemplateCreated', 'TemplateVersioned'] } }] });
  });

  it('is read once where it is there', async () => {
    expect(await projected(['TemplateVersioned', 'TemplateVersioned'])).toEqual({ asked: ['one'], changes: [{ collection: 'tales', id: 'one', document: { heard: ['before', 'TemplateVersioned', 'TemplateVersioned'] } }] });
  });

  it('that stands ahead of its model hears what it has not heard, and is left alone where there is nothing', async () => {
    expect((await projected(['TemplateVersioned', 'TemplateVersioned', 'TemplateVersioned'], 2)).changes).toEqual([{ collection: 'tales', id: 'one', document: { heard: ['before', 'TemplateVersioned'] } }]);
    expect((await projected(['TemplateVersioned', 'TemplateVersioned'], 2)).changes).toEqual([]);
  });
});
