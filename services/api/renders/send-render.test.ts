import { EventEmitter } from 'node:events';
import type { FastifyReply } from 'fastify';
import { describe, expect, it } from 'vitest';
import { waitSignal } from './send-render.ts';

const replyTo = (connection: { closed: boolean }) =>
  ({ raw: Object.assign(new EventEmitter(), connection) }) as unknown as FastifyReply;

describe('Whoever waits for a render', () => {
  it('is waited on until they hang up', () => {
    const reply = replyTo({ closed: false });
    const over = waitSignal(reply);
    expect(over.aborted).toBe(false);
    reply.raw.emit('close');
    expect(over.aborted).toBe(true);
  });

  it('is waited on no more where they had hung up before', () => {
    expect(waitSignal(replyTo({ closed: true })).aborted).toBe(true);
  });
});
