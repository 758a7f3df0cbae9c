import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createChangeSignal } from './change-signal.ts';

const [often, seldom] = [1, 1_000_000];

describe('A caller that waits for a change', () => {
  it('wakes at a notification, and leaves no listener on the signal', async () => {
    const changes = createChangeSignal();
    const { signal } = new AbortController();
    const waiting = [changes.waitForChange(signal), changes.waitForChange(signal, seldom)];
    changes.notify();
    await Promise.all(waiting);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('wakes at an abort, and after the timeout', async () => {
    const changes = createChangeSignal();
    const stop = new AbortController();
    const waiting = changes.waitForChange(stop.signal);
    stop.abort();
    await waiting;
    await changes.waitForChange(stop.signal);
    await changes.waitForChange(undefined, 1);
    expect(changes.version()).toBe(0);
  });

  it('misses no notification that comes while it checks', async () => {
    const changes = createChangeSignal();
    const before = changes.version();
    changes.notify();
    await changes.waitForChange(undefined, undefined, before);
    expect(changes.version()).toBe(before + 1);
  });
});

describe('A change by another process', () => {
  it('is found by polling while a caller waits, and only then', async () => {
    let asked = 0;
    const changes = createChangeSignal({ intervalMs: often, hasChanged: () => (asked += 1) === 3 });
    await changes.waitForChange();
    await createChangeSignal().waitForChange(undefined, 20);
    expect(asked).toBe(3);
  });

  it('is assumed when polling fails', async () => {
    const failing = (): boolean => {
      throw new Error('the file is gone');
    };
    const changes = createChangeSignal({ intervalMs: often, hasChanged: failing });
    await changes.waitForChange();
    expect(changes.version()).toBe(1);
  });
});
