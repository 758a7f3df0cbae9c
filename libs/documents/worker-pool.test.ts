import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { existsSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { documentNiceness, isAlive } from '#libs/processes/processes.ts';
import { openWorkerPool, type WorkerPool } from './worker-pool.ts';

const workersFolder = fileURLToPath(new URL('./testing/', import.meta.url));
const fileOf = (name: string) => `${workersFolder}${name}.ts`;
const pools: WorkerPool[] = [];

// Node publishes every child process that is created (node:diagnostics_channel, built-in channels).
const created: ChildProcess[] = [];
const onCreated = (message: unknown): void => void created.push((message as { process: ChildProcess }).process);
const workers = (): ChildProcess[] =>
  created.filter(({ spawnargs }) => spawnargs.some((argument) => argument.startsWith(workersFolder)));
beforeAll(() => subscribe('child_process', onCreated));
afterAll(() => unsubscribe('child_process', onCreated));

const open = (worker: string, processes = 1, maxProcesses = processes) => {
  const pool = openWorkerPool({ processes, maxProcesses, memoryMb: 64, workerFile: fileOf(worker) });
  pools.push(pool);
  return pool;
};
afterEach(() => {
  for (const pool of pools.splice(0)) pool.close();
  created.length = 0;
});

const workerPid = async (pool: WorkerPool) =>
  (await pool.run('prepare', { inputType: 'html', data: new Uint8Array(), maxImages: null }, { timeoutMs: 60_000 }))
    .html;
const runEndless = (pool: WorkerPool, timeoutMs: number, group = '') =>
  pool.run('analyse', { content: '', variables: [] }, { timeoutMs, group });

describe('a worker pool', () => {
  test('keeps a process for the next task', async () => {
    const pool = open('stub-worker');
    expect(await workerPid(pool)).toBe(await workerPid(pool));
    expect(workers()).toHaveLength(1);
  });

  test('kills a process that never finishes, and replaces it', async () => {
    const pool = open('stub-worker');
    const first = await workerPid(pool);
    await expect(runEndless(pool, 100)).rejects.toMatchObject({ fields: { name: 'processing_timeout' } });
    expect(await workerPid(pool)).not.toBe(first);
    await vi.waitFor(() => expect(isAlive(Number(first))).toBe(false), { timeout: 60_000 });
  });

  test('fails a task that gets no process in time with service_unavailable, and never starts it', async () => {
    const pool = open('stub-worker');
    const long = runEndless(pool, 1_000).catch(({ fields }) => fields.name);
    await expect(
      pool.run('analyse', { content: '', variables: [] }, { timeoutMs: 60_000, waitTimeoutMs: 20 }),
    ).rejects.toMatchObject({ fields: { name: 'service_unavailable', extra: { retry_after: expect.any(Number) } } });
    expect(await long).toBe('processing_timeout');
    await workerPid(pool);
    expect(workers()).toHaveLength(2);
  });

  test('counts the timeout of a task from when it has a process', async () => {
    const pool = open('stub-worker');
    const events: string[] = [];
    const long = runEndless(pool, 300).catch(() => events.push('first is over'));
    const next = pool.run(
      'analyse',
      { content: '', variables: [] },
      { timeoutMs: 50, waitTimeoutMs: 60_000, onStart: () => events.push('next begins') },
    );
    await expect(next).rejects.toMatchObject({
      fields: { name: 'processing_timeout', extra: { timeout_seconds: 0.05 } },
    });
    await long;
    expect(events.toSorted()).toEqual(['first is over', 'next begins']);
  });

  test('does not count the start of a process', async () => {
    const task = { inputType: 'html', data: new Uint8Array(), maxImages: null } as const;
    expect(await open('late-worker').run('prepare', task, { timeoutMs: 2_000 })).toEqual({ html: 'done' });
  });

  test('fails the task of a process that crashes, and continues', async () => {
    const pool = open('stub-worker');
    const first = await workerPid(pool);
    const crash = pool.run(
      'prepareTemplate',
      {
        content: '',
        contentHash: '',
        data: new Uint8Array(),
        variables: [],
        locale: 'en',
        timeZone: 'UTC',
        maxImages: null,
      },
      { timeoutMs: 60_000 },
    );
    await expect(crash).rejects.toThrow('crashed');
    expect(await workerPid(pool)).not.toBe(first);
  });

  test('fails a task that throws, and keeps the process; tells errors of the system apart', async () => {
    const pool = open('failing-worker');
    const first = await workerPid(pool);
    await expect(runEndless(pool, 60_000)).rejects.toMatchObject({ name: 'TaskFailed' });
    const sizes = pool.run('readPageSizes', { pdf: new Uint8Array() }, { timeoutMs: 60_000 });
    await expect(sizes).rejects.toMatchObject({ name: 'Error', message: expect.stringContaining('EIO') });
    expect(await workerPid(pool)).toBe(first);
  });

  test('fails a task that throws in a callback, and replaces the process', async () => {
    const pool = open('failing-worker');
    const first = await workerPid(pool);
    const callback = pool.run('parseHeaderFooter', { header: null, footer: null } as never, { timeoutMs: 60_000 });
    await expect(callback).rejects.toMatchObject({ name: 'TaskFailed' });
    expect(await workerPid(pool)).not.toBe(first);
  });

  test('keeps a task while an earlier one throws after its result', async () => {
    const pool = open('failing-worker');
    const first = await workerPid(pool);
    expect(await pool.run('prepareTemplate', {} as never, { timeoutMs: 60_000 })).toEqual({ html: first });
    expect(await workerPid(pool)).toBe(first);
  });

  test('does not restart a process that cannot start in a loop', async () => {
    const pool = open('exit-at-start-worker');
    for (let round = 0; round < 3; round += 1) await expect(runEndless(pool, 60_000)).rejects.toThrow('did not start');
    expect(workers()).toHaveLength(3);
  });

  test('leaves a process to other groups, however many tasks one group has', async () => {
    const pool = open('stub-worker', 2);
    const endless = Array.from({ length: 5 }, () => runEndless(pool, 60_000, 'greedy').catch(String));
    for (let round = 0; round < 3; round += 1) expect(Number(await workerPid(pool))).toBeGreaterThan(0);
    pool.close();
    await Promise.all(endless);
  });

  test('starts more processes while tasks of several groups are slow, and keeps no more than configured', async () => {
    const pool = open('stub-worker', 2, 8);
    const endless = ['a', 'b', 'c', 'd'].flatMap((group) =>
      [1, 2, 3].map(() => runEndless(pool, 60_000, group).catch(String)),
    );
    for (let round = 0; round < 3; round += 1) expect(Number(await workerPid(pool))).toBeGreaterThan(0);
    expect(pool.load().processes).toBeLessThanOrEqual(8);
    pool.close();
    await Promise.all(endless);
  });

  /** How much lower the priority of a process is, and that of its session where the kernel has one. */
  const niceness = (pid: number): Set<number> => {
    const session = `/proc/${pid}/autogroup`;
    const ofSession = existsSync(session) ? [Number(/nice (-?\d+)/.exec(readFileSync(session, 'utf8'))?.[1])] : [];
    return new Set([getPriority(pid) - getPriority(), ...ofSession]);
  };

  test('has the priority of a browser', async () => {
    const pool = open('stub-worker');
    const pid = Number(await workerPid(pool));
    await expect.poll(() => niceness(pid)).toEqual(new Set([documentNiceness]));
  });

  test('ends its processes when it is closed', async () => {
    const pool = open('stub-worker');
    const pid = Number(await workerPid(pool));
    pool.close();
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 60_000 });
  });
});
