import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readGroupMemory, decideKill } from './memory.ts';

const processes = fc.array(
  fc.record({ pid: fc.nat(), processGroup: fc.constant(1), megabytes: fc.nat(4000), isRenderer: fc.boolean() }),
);

test('nothing is killed below the memory limit, and only the largest process above it', () => {
  fc.assert(
    fc.property(processes, fc.nat(8000), (group, limit) => {
      const total = group.reduce((sum, { megabytes }) => sum + megabytes, 0);
      const largest = Math.max(...group.map(({ megabytes }) => megabytes));
      const decision = decideKill(group, limit);
      const candidates = group
        .filter(({ megabytes }) => megabytes === largest)
        .map(({ pid, isRenderer }) =>
          isRenderer ? { kill: 'renderer', pid, exceedsAlone: largest > limit } : { kill: 'browser' },
        );
      expect(total <= limit ? [{ kill: 'nothing' }] : candidates).toContainEqual(decision);
    }),
  );
});

test('the memory of a process group includes the process itself', async () => {
  const { readFile } = await import('node:fs/promises');
  const stat = await readFile('/proc/self/stat', 'latin1');
  const group = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
  const ownMemory = (await readGroupMemory(new Set([group]))).find(({ pid }) => pid === process.pid);
  expect(ownMemory?.megabytes).toBeGreaterThan(5);
  expect(ownMemory?.isRenderer).toBe(false);
});

test('a process that starts its own group after it was read is found in that group', async () => {
  const child = spawn('/bin/sh', ['-c', 'read line; exec setsid sleep 60'], { stdio: ['pipe', 'ignore', 'ignore'] });
  try {
    await expect.poll(() => readdir('/proc')).toContain(String(child.pid));
    expect(await readGroupMemory(new Set([-1]))).toEqual([]);
    child.stdin.write('\n');
    const group = new Set([child.pid!]);
    await expect.poll(() => readGroupMemory(group)).toMatchObject([{ pid: child.pid, processGroup: child.pid }]);
  } finally {
    child.kill();
  }
});
