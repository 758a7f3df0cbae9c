import { expect } from 'vitest';
import { type Cases, needed, type Opened } from './harness.ts';

type Marked = { mark(): Promise<string | null>; setMark(installation: string): Promise<string>; close(): Promise<void> };

/** What every engine does that belongs to one installation. */
export const marking: Cases<Opened<Marked>> = {
  'fresh storage belongs to no installation': async ({ engine }) => {
    expect(await engine.mark()).toBeNull();
  },

  'storage belongs to the installation that marks it first, for good': async ({ engine }) => {
    expect(await engine.setMark('one')).toBe('one');
    expect(await engine.setMark('other')).toBe('one');
    expect(await engine.setMark('one')).toBe('one');
    expect(await engine.mark()).toBe('one');
  },

  'of many who mark it at once one wins, and all are told of it': async ({ engine }) => {
    const told = await Promise.all(Array.from({ length: 10 }, (_, number) => engine.setMark(`installation-${number}`)));
    expect(new Set(told).size).toBe(1);
    expect(await engine.mark()).toBe(told[0]);
  },

  'a mark lasts': async ({ engine, reopen }, skip) => {
    await engine.setMark('one');
    const again = await needed(reopen, 'lasting storage', skip)();
    expect(await again.mark()).toBe('one');
    expect(await again.setMark('other')).toBe('one');
  },
};
