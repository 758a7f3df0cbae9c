import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EventOrder, type EventPage, findEventPage } from '#application/audit/find-events.ts';
import { readHistory } from '#application/command-handling/history.ts';
import { readVersionEvents } from '#application/templates/commands.ts';
import { streams, templateIdOf } from '#contracts/names.ts';
import { delivery } from '#libs/domain/delivery.ts';
import { type NewEvent, noStream } from '#libs/event-store/port.ts';
import { openSqliteEventStore } from '#libs/event-store/sqlite.ts';
import { newEvent } from '../support/contract/new-events.ts';
import { openInTemporaryFolder } from '../support/contract/temporary-folder.ts';

const id = '01K6ZC5B8Q4XJ0N9T2V7RWHE3M';
const versions = 3_500;
const open = () => openInTemporaryFolder((folder) => openSqliteEventStore(join(folder, 'log.db')));
let store: Awaited<ReturnType<typeof open>>;
let accountId: string;
beforeAll(async () => {
  store = await open();
  const events = Array.from(
    { length: versions },
    (_, index) =>
      ({
        ...newEvent({ version: index + 1 }),
        type: index === 0 ? 'TemplateCreated' : 'TemplateVersioned',
      }) as NewEvent,
  );
  accountId = events[0]!.metadata.accountId!;
  await store.engine.append(streams.template(id), events, noStream);
});
afterAll(() => store.close());

const pageOf = (order: EventOrder, after: string | null): Promise<EventPage> =>
  findEventPage(
    { eventLog: { store: store.engine }, reads: null as never },
    accountId,
    { subject: templateIdOf(id) },
    { range: {}, after, order, limit: 900 },
  );

it.each(['oldest', 'newest'] as const)(
  'The pages of the events of a long stream have each event once, %s first',
  async (order) => {
    const revisions: number[] = [];
    for (let after: string | null = null; ;) {
      const page: EventPage = await pageOf(order, after);
      revisions.push(...page.events.map(({ revision }) => revision));
      if (page.next === null) break;
      after = page.next.position;
    }
    const ascending = Array.from({ length: versions }, (_, index) => index);
    expect(revisions).toEqual(order === 'oldest' ? ascending : ascending.toReversed());
  },
);

it('Other requests get their turn while a long stream is read', async () => {
  for (const read of [
    () => pageOf('newest', null),
    () => readVersionEvents({ store: store.engine } as never, id, 1, versions),
    () => readHistory(store.engine, delivery, streams.template(id)),
  ])
    expect(await Promise.race([read().then(() => 'the stream'), nextTurn('another request')])).toBe('another request');
});

it('An early version of many is found without the later ones', async () => {
  const found = await readVersionEvents({ store: store.engine } as never, id, 7, 7);
  expect([found.has(7), found.has(versions)]).toEqual([true, false]);
});
