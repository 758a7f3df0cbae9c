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
  renewalIntervalMs: 20,
  renewalDeadlineMs: 1_000,
  leaseDurationMs: 2_000,
  retryIntervalMs: 10,
};
/** So long that no leader loses its lease on a busy machine. */
const longTimes: ElectionTimes = { ...times, renewalDeadlineMs: 20_000, leaseDurationMs: 40_000 };
const identity = (id: string, more: Partial<ProcessIdentity> = {}): ProcessIdentity => ({
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

/** A process that works while it is leader. `leaders` lists the leaders in order. */
const runFor = (processIdentity: ProcessIdentity, leaders: string[], store = reads, electionTimes = times) => {
  const stop = new AbortController();
  let working = false;
  const done = runWhileLeader(
    { reads: store, role: 'relay', processIdentity, report: () => undefined, times: electionTimes },
    async (signal) => {
      leaders.push(processIdentity.id);
      working = true;
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      working = false;
    },
    stop.signal,
  );
  return { stop: () => stop.abort(), done, isRunning: () => working };
};
const waitUntil = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
};

describe('Leader election', () => {
  it('has one leader at a time among several processes, and the next one when the leader stops', async () => {
    const leaders: string[] = [];
    const processes = ['a', 'b', 'c', 'd'].map((id) => runFor(identity(id), leaders, open(), longTimes));
    for (let count = 1; count <= processes.length; count += 1) {
      await waitUntil(() => leaders.length === count);
      expect(processes.filter(({ isRunning }) => isRunning()).length).toBe(1);
      const leader = processes.find(({ isRunning }) => isRunning())!;
      leader.stop();
      await leader.done;
    }
    expect(leaders.toSorted()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('makes another process leader when the leader no longer renews its lease', async () => {
    await replaceLeaderLease(reads, 'relay', 0, identity('silent'));
    const leaders: string[] = [];
    const successor = runFor(identity('successor'), leaders);
    await waitUntil(() => successor.isRunning());
    successor.stop();
    await successor.done;
    expect(await readLeaderLease(reads, 'relay')).toMatchObject({ holder: null });
  });

  it('does not wait for the lease of a process that is known to have ended', async () => {
    const never: ElectionTimes = { ...times, leaseDurationMs: 3_600_000 };
    const gone = identity('gone', { pidNamespace: 'here', pid: 2 ** 22 + 1 });
    await replaceLeaderLease(reads, 'relay', 0, gone);
    const election = {
      reads,
      role: 'relay',
      processIdentity: identity('successor', { pidNamespace: 'here' }),
      report: () => undefined,
      times: never,
    };
    let worked = false;
    await runWhileLeader(election, async () => void (worked = true), new AbortController().signal);
    expect(worked).toBe(true);
  });

  it('stops the leader before another process may become leader, when the store no longer responds to it', async () => {
    let responds = true;
    const disconnected: ReadStore = {
      ...reads,
      replace: (...given) => (responds ? reads.replace(...given) : new Promise(() => undefined)),
    };
    const leaders: string[] = [];
    const leader = runFor(identity('leader'), leaders, disconnected);
    await waitUntil(() => leader.isRunning());
    const successor = runFor(identity('successor'), leaders, open());
    let overlap = false;
    responds = false;
    await waitUntil(() => {
      overlap ||= leader.isRunning() && successor.isRunning();
      return successor.isRunning();
    });
    expect([overlap, leaders]).toEqual([false, ['leader', 'successor']]);
    successor.stop();
    leader.stop();
    await successor.done;
  });

  it('stops a leader whose lease another process has acquired in the meantime', async () => {
    const leaders: string[] = [];
    const leader = runFor(identity('leader'), leaders);
    await waitUntil(() => leader.isRunning());
    const takeOver = async (): Promise<boolean> =>
      replaceLeaderLease(reads, 'relay', (await readLeaderLease(reads, 'relay')).renewals, identity('other'));
    while (!(await takeOver()));
    await waitUntil(() => !leader.isRunning());
    expect((await readLeaderLease(reads, 'relay')).holder?.id).toBe('other');
    leader.stop();
    await leader.done;
  });

  it('keeps a leader whose renewal was written although the response was lost', async () => {
    let lost = 0;
    const losing: ReadStore = {
      ...reads,
      replace: async (...given) => {
        const written = await reads.replace(...given);
        if (given[1] > 0 && lost++ === 0) throw new Error('connection lost');
        return written;
      },
    };
    const leaders: string[] = [];
    const leader = runFor(identity('leader'), leaders, losing, longTimes);
    await waitUntil(() => leader.isRunning());
    const later = (await readLeaderLease(reads, 'relay')).renewals + 5;
    for (
      let { renewals } = await readLeaderLease(reads, 'relay');
      renewals < later;
      { renewals } = await readLeaderLease(reads, 'relay')
    )
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect(leaders).toEqual(['leader']);
    leader.stop();
    await leader.done;
  });

  it('releases the lease when the work fails, and passes the error on', async () => {
    const election = { reads, role: 'relay', processIdentity: identity('a'), report: () => undefined, times };
    await expect(
      runWhileLeader(election, () => Promise.reject(new Error('no disk')), new AbortController().signal),
    ).rejects.toThrow('no disk');
    expect((await readLeaderLease(reads, 'relay')).holder).toBeNull();
  });
});
