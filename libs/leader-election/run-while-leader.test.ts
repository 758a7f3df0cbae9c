import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteReadStore } from '#libs/read-store/sqlite.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProcessIdentity } from './process-identity.ts';
import { leaderLeaseCollection, replaceLeaderLease, readLeaderLease } from './leader-lease.ts';
import { type ElectionTimes, runWhileLeader } from './run-while-leader.ts';

const times: ElectionTimes = {
  renewalIntervalMs: 10,
  renewalDeadlineMs: 150,
  leaseDurationMs: 300,
  retryIntervalMs: 5,
};
const candidate = (id: string, more: Partial<ProcessIdentity> = {}): ProcessIdentity => ({
  id,
  name: id,
  pid: process.pid,
  pidNamespace: id,
  ...more,
});

let folder: string;
let reads: ReadStore;
const opened: ReadStore[] = [];
const open = (): ReadStore => {
  const store = openSqliteReadStore(join(folder, 'reads.db'), [leaderLeaseCollection]);
  opened.push(store);
  return store;
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'colophon-election-'));
  reads = open();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
  rmSync(folder, { recursive: true });
});

/** A candidate that works until it is told not to; `log` is who worked when. */
const stand = (own: ProcessIdentity, log: string[], store: ReadStore = reads) => {
  const stop = new AbortController();
  const working = new Set<string>();
  const done = runWhileLeader(
    { reads: store, role: 'relay', processIdentity: own, report: () => undefined, times },
    async (signal) => {
      log.push(own.id);
      working.add(own.id);
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      working.delete(own.id);
    },
    stop.signal,
  );
  return { stop: () => stop.abort(), done, atWork: () => working.size > 0 };
};
const until = async (look: () => boolean): Promise<void> => {
  while (!look()) await new Promise((resolve) => setTimeout(resolve, 2));
};

describe('An office', () => {
  it('has one holder at a time, however many stand for it, and the next one when the holder leaves', async () => {
    const log: string[] = [];
    const all = ['a', 'b', 'c', 'd'].map((id) => stand(candidate(id), log, open()));
    for (let held = 1; held <= all.length; held += 1) {
      await until(() => log.length === held);
      expect(all.filter(({ atWork }) => atWork()).length).toBe(1);
      const holder = all.find(({ atWork }) => atWork())!;
      holder.stop();
      await holder.done;
    }
    expect(log.toSorted()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('falls to another when the holder is heard of no more', async () => {
    await replaceLeaderLease(reads, 'relay', 0, candidate('silent'));
    const log: string[] = [];
    const heir = stand(candidate('heir'), log);
    await until(() => heir.atWork());
    heir.stop();
    await heir.done;
    expect(await readLeaderLease(reads, 'relay')).toMatchObject({ holder: null });
  });

  it('is not waited for where the holder is known to have ended', async () => {
    const never: ElectionTimes = { ...times, leaseDurationMs: 3_600_000 };
    const gone = candidate('gone', { pidNamespace: 'here', pid: 2 ** 22 + 1 });
    await replaceLeaderLease(reads, 'relay', 0, gone);
    const parts = {
      reads,
      role: 'relay',
      processIdentity: candidate('heir', { pidNamespace: 'here' }),
      report: () => undefined,
      times: never,
    };
    let worked = false;
    await runWhileLeader(parts, async () => void (worked = true), new AbortController().signal);
    expect(worked).toBe(true);
  });

  it('is left before anybody else may take it when the store does not answer any more', async () => {
    let answers = true;
    const cutOff: ReadStore = {
      ...reads,
      replace: (...given) => (answers ? reads.replace(...given) : new Promise(() => undefined)),
    };
    const log: string[] = [];
    const holder = stand(candidate('holder'), log, cutOff);
    await until(() => holder.atWork());
    const heir = stand(candidate('heir'), log, open());
    let overlap = false;
    answers = false;
    await until(() => {
      overlap ||= holder.atWork() && heir.atWork();
      return heir.atWork();
    });
    expect([overlap, log]).toEqual([false, ['holder', 'heir']]);
    heir.stop();
    holder.stop();
    await heir.done;
  });

  it('is left by a holder whose lease another has taken meanwhile', async () => {
    const log: string[] = [];
    const holder = stand(candidate('holder'), log);
    await until(() => holder.atWork());
    const usurp = async (): Promise<boolean> =>
      replaceLeaderLease(reads, 'relay', (await readLeaderLease(reads, 'relay')).renewals, candidate('usurper'));
    while (!(await usurp()));
    await until(() => !holder.atWork());
    expect((await readLeaderLease(reads, 'relay')).holder?.id).toBe('usurper');
    holder.stop();
    await holder.done;
  });

  it('stays with a holder whose beat counted although its answer was lost', async () => {
    let lose = 1;
    const losing: ReadStore = {
      ...reads,
      replace: async (...given) => {
        const moved = await reads.replace(...given);
        if (given[1] > 0 && lose-- > 0) throw new Error('connection lost');
        return moved;
      },
    };
    const log: string[] = [];
    const holder = stand(candidate('holder'), log, losing);
    await until(() => holder.atWork());
    const later = (await readLeaderLease(reads, 'relay')).renewals + 5;
    for (
      let { renewals } = await readLeaderLease(reads, 'relay');
      renewals < later;
      { renewals } = await readLeaderLease(reads, 'relay')
    )
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect(log).toEqual(['holder']);
    holder.stop();
    await holder.done;
  });

  it('is given up when the work fails, and the failure is told', async () => {
    const parts = { reads, role: 'relay', processIdentity: candidate('a'), report: () => undefined, times };
    await expect(
      runWhileLeader(parts, () => Promise.reject(new Error('no disk')), new AbortController().signal),
    ).rejects.toThrow('no disk');
    expect((await readLeaderLease(reads, 'relay')).holder).toBeNull();
  });
});
