import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createUpcaster } from '#contracts/events/upcast.ts';
import { noStream } from '#libs/event-store/port.ts';
import { openSqliteEventStore } from '#libs/event-store/sqlite.ts';
import { withUpcasting } from '#libs/event-store/upcasting.ts';
import { readSubscription, newEvent } from '../support/contract/new-events.ts';
import { openInTemporaryFolder } from '../support/contract/temporary-folder.ts';

it('Readers and subscribers get events in the current version, and the event log keeps the original', async () => {
  const { upcast } = createUpcaster({ SomethingHappened: [({ title }: { title: string }) => ({ name: title })] });
  const { engine, folder, close } = await openInTemporaryFolder((place) =>
    withUpcasting(openSqliteEventStore(join(place, 'log.db')), upcast),
  );
  await engine.append('render-1', [newEvent({ title: 'x' })], noStream);
  const present = expect.objectContaining({ version: 2, data: { name: 'x' } });
  expect(await engine.read('render-1')).toEqual([present]);
  expect(await engine.readAll(0, 10)).toEqual([present]);
  expect(await readSubscription(engine, 0, 1)).toEqual([present]);
  const raw = openSqliteEventStore(join(folder, 'log.db'));
  expect(await raw.read('render-1')).toEqual([expect.objectContaining({ version: 1, data: { title: 'x' } })]);
  await raw.close();
  await close();
});
