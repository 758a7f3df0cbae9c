import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createPreviewLimiter, maxAccountPreviews } from './preview-limits.ts';

/** A limiter, and previews that end when the test ends them. */
const openPreviews = () => {
  const limiter = createPreviewLimiter();
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (accountId: string, name: string, editor: string | null = null): Promise<string> => {
    const preview = async (): Promise<string> => {
      running.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      running.splice(running.indexOf(name), 1);
      return name;
    };
    const result = limiter.run({ accountId, editor, maxWaitMs: 30_000 }, preview);
    result.catch(() => undefined);
    return result;
  };
  return { start, running, end: (name: string) => ends.get(name)!() };
};

describe('The previews of an account', () => {
  it('run two at once, and leave room for another account', async () => {
    const { start, running, end } = openPreviews();
    const all = ['a', 'b', 'c', 'd'].map((name) => start('A', name));
    void start('B', 'other');
    await turn();
    expect(running).toEqual(['a', 'b', 'other']);
    end('a');
    expect(await all[0]).toBe('a');
    await turn();
    expect(running).toEqual(['b', 'other', 'c']);
  });

  it('are refused beyond the limit until one has ended', async () => {
    const { start, end } = openPreviews();
    const all = Array.from({ length: maxAccountPreviews }, (_, index) => start('A', String(index)));
    await expect(start('A', 'late')).rejects.toMatchObject({ fields: { name: 'concurrency_limit_exceeded' } });
    end('0');
    await all[0];
    await turn();
    const next = start('A', 'next');
    for (let index = 1; index < maxAccountPreviews; index += 1) {
      end(String(index));
      await turn();
    }
    end('next');
    expect(await next).toBe('next');
  });

  it('wait for their turn as long as others may work', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { start, running, end } = openPreviews();
    const [, , third, fourth] = ['a', 'b', 'c', 'd'].map((name) => start('A', name));
    await vi.advanceTimersByTimeAsync(29_000);
    end('a');
    await turn();
    expect(running).toEqual(['b', 'c']);
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(fourth).rejects.toMatchObject({ fields: { name: 'service_unavailable' } });
    end('c');
    expect(await third).toBe('c');
  });

  it('replace older ones of the same editor: a running one ends for its caller, a waiting one never starts', async () => {
    const { start, running, end } = openPreviews();
    const other = start('A', 'other', 'second');
    const first = start('A', 'first', 'first');
    await turn();
    const waiting = start('A', 'waiting', 'first');
    const latest = start('A', 'latest', 'first');
    for (const replaced of [first, waiting])
      await expect(replaced).rejects.toMatchObject({ fields: { name: 'preview_replaced' } });
    await turn();
    expect(running).toEqual(['other', 'first']);
    void start('B', 'theirs', 'first');
    await turn();
    expect(running).toContain('theirs');
    expect(await Promise.race([other, latest, turn('open')])).toBe('open');
    end('first');
    await turn();
    expect(running).toEqual(['other', 'theirs', 'latest']);
  });

  it('leave room for the newest, however many it replaces while others run', async () => {
    const { start, running, end } = openPreviews();
    void start('A', 'first');
    void start('A', 'second');
    await turn();
    const typed = Array.from({ length: 2 * maxAccountPreviews }, (_, index) => start('A', `typed ${index}`, 'editor'));
    for (const replaced of typed.slice(0, -1))
      await expect(replaced).rejects.toMatchObject({ fields: { name: 'preview_replaced' } });
    end('first');
    await turn();
    expect(running).toEqual(['second', `typed ${typed.length - 1}`]);
  });
});
