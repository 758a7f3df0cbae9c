import { EventEmitter } from 'node:events';
import type { FastifyReply } from 'fastify';
import { describe, expect, it } from 'vitest';
import { readModels } from '#contracts/names.ts';
import { sendRender, type SendRenderDependencies, waitSignal } from './send-render.ts';

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

describe('The response to a render', () => {
  it.each(['DONE', 'FAILED'] as const)('lets queries of the account show that it is %s', async (status) => {
    const request = { id: 'req_1', headers: {}, caller: { account: { id: 'a' }, key: {} }, traceparent: null };
    const reply: Record<string, unknown> = { request };
    for (const name of ['header', 'headers', 'type', 'status', 'send']) reply[name] = () => reply;
    const writes: unknown[][] = [];
    const dependencies = {
      downloadUrlFor: () => '',
      readYourWrites: { recordWrite: (...write: unknown[]) => void writes.push(write) },
    } as unknown as SendRenderDependencies;
    const ended =
      status === 'DONE'
        ? { status, pdf: Buffer.from('%PDF'), pages: 1, durationMs: 1, warnings: [], position: 7 }
        : { status, error: { name: 'internal_error' as const, message: 'no', extra: {} }, position: 7 };
    const submission = { id: 'r', createdAt: '', fileName: null, reply: Promise.resolve(ended) };
    await sendRender(dependencies, reply as unknown as FastifyReply, submission);
    expect(writes).toEqual([['a', 7, readModels.renders]]);
  });
});
