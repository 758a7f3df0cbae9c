import type { FastifyReply } from 'fastify';
import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { CountedRender } from '#libs/limits/port.ts';
import { type QuotaDependencies, acceptWithinQuota } from './quota.ts';

const caller = { account: { id: 'a', plan: 'free', overrides: {} }, keyType: 'live' } as unknown as Parameters<
  typeof acceptWithinQuota
>[1];
const render = { id: 'r', at: new Date('2026-05-20T12:00:00.000Z') };
const reply = { header: () => reply } as unknown as FastifyReply;

/** The confirmed positions (null: released) of a render whose acceptance failed while the event log has `events` of it. */
const confirmedPositions = async (
  events: readonly Partial<RecordedEvent>[],
  isServer: boolean,
): Promise<(number | null)[]> => {
  const positions: (number | null)[] = [];
  const dependencies = {
    limits: {
      countRender: async () => ({ allowed: true, limit: 100, used: 1, resetAt: render.at }),
      confirmOrReleaseRender: async (_: CountedRender, position: number | null) => void positions.push(position),
    },
    eventLog: { store: { read: async () => events, ...(isServer && { missing: () => null }) } },
  } as unknown as QuotaDependencies;
  const failing = acceptWithinQuota(dependencies, caller, reply, render, () => Promise.reject(new Error('no reply')));
  await expect(failing).rejects.toThrow('no reply');
  return positions;
};

describe('A render whose acceptance failed', () => {
  it('is released if the event log is a file and does not have it', async () => {
    expect(await confirmedPositions([], false)).toEqual([null]);
  });

  it('stays counted if the event log has it', async () => {
    for (const isServer of [false, true]) expect(await confirmedPositions([{ position: 7 }], isServer)).toEqual([7]);
  });

  it('is left to the correction if the event log is a server, which may still append it', async () => {
    expect(await confirmedPositions([], true)).toEqual([]);
  });
});
