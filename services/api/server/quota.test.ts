import type { FastifyReply } from 'fastify';
import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { CountedRender } from '#libs/limits/port.ts';
import { type QuotaDependencies, acceptWithinQuota } from './quota.ts';

const caller = { account: { id: 'a', plan: 'free', overrides: {} }, key: { keyType: 'live' } } as Parameters<
  typeof acceptWithinQuota
>[1];
const render = { id: 'r', at: new Date('2026-05-20T12:00:00.000Z') };
const reply = { header: () => reply } as unknown as FastifyReply;

/** How a render is settled whose acceptance failed: the log has `events` of it, and is a server or not. */
const settled = async (events: readonly Partial<RecordedEvent>[], isServer: boolean): Promise<(number | null)[]> => {
  const positions: (number | null)[] = [];
  const parts = {
    limits: {
      countRender: async () => ({ allowed: true, limit: 100, used: 1, resetAt: render.at }),
      confirmOrReleaseRender: async (_: CountedRender, position: number | null) => void positions.push(position),
    },
    eventLog: { store: { read: async () => events, ...(isServer && { missing: () => null }) } },
  } as unknown as QuotaDependencies;
  const failing = acceptWithinQuota(parts, caller, reply, render, () => Promise.reject(new Error('no answer')));
  await expect(failing).rejects.toThrow('no answer');
  return positions;
};

describe('A render whose acceptance failed', () => {
  it('is taken back where the log, a file, does not have it', async () => {
    expect(await settled([], false)).toEqual([null]);
  });

  it('stays counted where the log has it', async () => {
    for (const isServer of [false, true]) expect(await settled([{ position: 7 }], isServer)).toEqual([7]);
  });

  it('is left to the correction where the log is a server, which may still append it', async () => {
    expect(await settled([], true)).toEqual([]);
  });
});
