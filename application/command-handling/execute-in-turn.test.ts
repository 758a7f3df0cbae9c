import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { streams } from '#contracts/names.ts';
import { members, type MembersCommand } from '#libs/domain/members.ts';
import { type EventStore, type RecordedEvent, RevisionConflict } from '#libs/event-store/port.ts';
import { newCause } from './aggregate.ts';
import { createExecuteInTurn } from './execute-in-turn.ts';

const cause = newCause({ kind: 'service', name: 'tests' }, 'a');
const join = (personId: string): MembersCommand => ({ type: 'join', personId, role: 'viewer', source: 'link' });

/** An event store in memory whose calls take some turns of the event loop, and its clock. */
const openLog = () => {
  const events: RecordedEvent[] = [];
  const takeTime = async (): Promise<void> => {
    for (let turn = 0; turn < 4; turn += 1) await nextTurn();
  };
  const store = {
    append: vi.fn<EventStore['append']>(async (stream, added, expected) => {
      await takeTime();
      if (events.length - 1 !== expected) throw new RevisionConflict(stream, expected);
      for (const event of added) events.push({ ...event, stream, revision: events.length, position: events.length });
      await takeTime();
      return events.at(-1)!;
    }),
    read: vi.fn<EventStore['read']>(async (_, from = 0, limit?: number) => {
      await takeTime();
      return events.slice(from, limit === undefined ? undefined : from + limit);
    }),
  };
  const clock = { now: new Date('2026-05-20T12:00:00.000Z') };
  return { events, store, clock, eventLog: { store: store as unknown as EventStore, now: () => clock.now } };
};
const createProcess = () => createExecuteInTurn(members, streams.members);

describe('A command on a stream that many callers change', () => {
  it('succeeds while other processes change the stream too', async () => {
    const { eventLog, events } = openLog();
    const people = Array.from({ length: 20 }, (_, index) => String(index));
    const processes = Array.from({ length: 6 }, createProcess);
    await Promise.all(
      processes.flatMap((execute, process) =>
        people.map((person) => execute(eventLog, 'a', () => join(`${process}-${person}`), cause)),
      ),
    );
    expect(events).toHaveLength(processes.length * people.length);
  });

  it('is decided again after each of many conflicts, at the time of each decision', async () => {
    const { eventLog, store, clock } = openLog();
    for (let conflict = 0; conflict < 10; conflict += 1)
      store.append.mockImplementationOnce(async (stream, _, expected) => {
        clock.now = new Date(clock.now.getTime() + 1_000);
        throw new RevisionConflict(stream, expected);
      });
    const times: string[] = [];
    const { position } = await createProcess()(
      eventLog,
      'a',
      (now) => {
        times.push(now.toISOString());
        return join('ada');
      },
      cause,
    );
    expect([position, store.append.mock.calls.length, times.at(-1)]).toEqual([0, 11, '2026-05-20T12:00:10.000Z']);
  });

  it('fails at once after another error', async () => {
    const { eventLog, store } = openLog();
    store.append.mockRejectedValue(new Error('the disk is full'));
    await expect(createProcess()(eventLog, 'a', () => join('ada'), cause)).rejects.toThrow('the disk is full');
    expect(store.append).toHaveBeenCalledTimes(1);
  });

  it('waits for those before it in the same process, so that they do not conflict', async () => {
    const { eventLog, store } = openLog();
    const execute = createProcess();
    await Promise.all(['ada', 'bob', 'eve'].map((person) => execute(eventLog, 'a', () => join(person), cause)));
    expect(store.append).toHaveBeenCalledTimes(3);
  });

  it('does not wait for others if it has no effect', async () => {
    const { eventLog, store } = openLog();
    const execute = createProcess();
    await execute(eventLog, 'a', () => join('ada'), cause);
    const appended = Promise.withResolvers<never>();
    store.append.mockReturnValueOnce(appended.promise);
    const waiting = execute(eventLog, 'a', () => join('bob'), cause);
    await expect.poll(() => store.append.mock.calls.length).toBe(2);
    const { position, state } = await execute(eventLog, 'a', () => join('ada'), cause);
    expect([position, Object.keys(state.members)]).toEqual([null, ['ada']]);
    appended.reject(new RevisionConflict('members-a', 0));
    await waiting;
  });
});
