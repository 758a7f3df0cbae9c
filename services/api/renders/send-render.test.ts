import { EventEmitter } from 'node:events';
import type { FastifyReply } from 'fastify';
import { describe, expect, it } from 'vitest';
import { waitSignal } from './send-render.ts';

const replyTo = (connection: { closed: boolean }) =>
  ({ raw: Object.assign(new EventEmitter(), connection) }) as unknown as FastifyReply;

describe('The wait for a render', () => {
  it('ends when the caller disconnects', () => {
    const reply = replyTo({ closed: false });
    const signal = waitSignal(reply);
    expect(signal.aborted).toBe(false);
    reply.raw.emit('close');
    expect(signal.aborted).toBe(true);
  });

  it('has ended if the caller disconnected before', () => {
    expect(waitSignal(replyTo({ closed: true })).aborted).toBe(true);
  });
});
