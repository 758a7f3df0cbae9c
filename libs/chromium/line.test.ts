import { expect, test, vi } from 'vitest';
import { openLine } from './line.ts';

/** Puts works into a line that end when they are told to. */
const inLine = (places: number) => {
  const line = openLine(places);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (...names: string[]) => {
    for (const name of names) {
      void line.add(name[0]!, () => {
        begun.push(name);
        return new Promise<void>((resolve) => void ends.set(name, resolve));
      });
    }
  };
  const end = (name: string) => ends.get(name)!();
  return { line, begun, add, end };
};

test('what comes first is served first, in as many places as there are', async () => {
  const { line, begun, add, end } = inLine(2);
  add('a1', 'a2', 'a3', 'a4');
  await vi.waitFor(() => expect(begun).toEqual(['a1', 'a2']));
  expect([line.running(), line.waiting()]).toEqual([2, 2]);
  end('a2');
  await vi.waitFor(() => expect(begun).toEqual(['a1', 'a2', 'a3']));
});

test('a group of which nothing runs does not wait for the long work of another, with half of the places for each', async () => {
  const { begun, add, end } = inLine(2);
  add('a1', 'a2', 'a3', 'b1', 'b2', 'c1', 'd1');
  await vi.waitFor(() => expect(begun).toEqual(['a1', 'a2', 'b1', 'c1']));
  end('b1');
  await vi.waitFor(() => expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'b2']));
});

test('work that fails leaves its place, and the line is idle when all has ended', async () => {
  const line = openLine(1);
  await expect(line.add('a', () => Promise.reject(new Error('no luck')))).rejects.toThrow('no luck');
  const last = line.add('a', async () => 'done');
  await line.idle();
  expect(await last).toBe('done');
});
