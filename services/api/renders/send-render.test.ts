import { EventEmitter } from 'node:events';
import Fastify, { type FastifyReply } from 'fastify';
import { describe, expect, it, vi } from 'vitest';
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

  it('ends after a complete response, which may be the error of an append', async () => {
    const app = Fastify();
    const signals: AbortSignal[] = [];
    app.get('/', async (_, reply) => {
      signals.push(waitSignal(reply));
      throw new Error('the event log is away');
    });
    expect((await fetch(await app.listen({ port: 0, host: '127.0.0.1' }))).status).toBe(500);
    await vi.waitFor(() => expect(signals.map(({ aborted }) => aborted)).toEqual([true]));
    await app.close();
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
      transfers: { beginResponse: () => undefined },
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
