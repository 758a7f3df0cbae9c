import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openNatsReplies } from '#libs/replies/nats.ts';
import type { RenderReply, RenderReplies } from '#libs/replies/port.ts';
import { isNatsAvailable, type NatsServer, startNatsServer } from '../support/nats/server.ts';

const requestTimeoutMs = 1_000;
const done: RenderReply = { status: 'DONE', pdf: Buffer.from('%PDF'), pages: 1, durationMs: 1, warnings: [] };
const never = new AbortController().signal;

describe.skipIf(!isNatsAvailable)('A caller that waits for a reply over NATS', () => {
  let server: NatsServer;
  let operator: NatsConnection;
  beforeAll(async () => {
    server = await startNatsServer();
    operator = await connect({ servers: server.url });
  });
  afterAll(async () => {
    await operator.close();
    await server.remove();
  });

  const openBoth = () => ({ receiver: openNatsReplies(server.url), sender: openNatsReplies(server.url) });
  /** Whether a process listens for the reply of a render. */
  const isSubscribed = (id: string): Promise<boolean> =>
    operator.request(`colophon.reply.${id}`, '{"reply":{"status":"FAILED"}}\n', { timeout: requestTimeoutMs }).then(
      () => true,
      () => false,
    );

  /** Sends until the receiver has the reply: the first may be sent before the server knows the subscription. */
  const exchangeReply = async (
    receiver: RenderReplies,
    sender: RenderReplies,
    id: string,
    reply = done,
  ): Promise<RenderReply | null> => {
    let received: RenderReply | null = null;
    void receiver.wait(id, never).then((one) => (received = one));
    await expect.poll(() => received ?? sender.send(id, reply)).toMatchObject({ status: 'DONE' });
    return received;
  };

  it('no longer listens after the reply has come, or after an abort', async () => {
    const { receiver, sender } = openBoth();
    await expect.poll(() => receiver.missing() ?? sender.missing()).toBeNull();
    const stop = new AbortController();
    const aborted = receiver.wait('aborted', stop.signal);
    stop.abort();
    expect(await exchangeReply(receiver, sender, 'replied')).toEqual(done);
    expect(await aborted).toBeNull();
    for (const id of ['replied', 'aborted']) await expect.poll(() => isSubscribed(id)).toBe(false);
    await Promise.all([receiver.close(), sender.close()]);
  });

  it('gets a reply whose PDF fits in one message only without its warnings', async () => {
    const { receiver, sender } = openBoth();
    await expect.poll(() => receiver.missing() ?? sender.missing()).toBeNull();
    const reply: RenderReply = {
      ...done,
      pdf: Buffer.alloc(operator.info!.max_payload - 5_000, '%PDF'),
      warnings: Array.from({ length: 50 }, (_, index) => ({
        kind: 'resource_failed',
        url: `https://example.com/${index}`,
        reason: 'x'.repeat(400),
      })),
    };
    expect(await exchangeReply(receiver, sender, 'with-warnings', reply)).toEqual(reply);
    await Promise.all([receiver.close(), sender.close()]);
  });

  it('gets each reply when it waits for the same render again and again', async () => {
    const { receiver, sender } = openBoth();
    await expect.poll(() => receiver.missing() ?? sender.missing()).toBeNull();
    for (let round = 0; round < 20; round += 1) expect(await exchangeReply(receiver, sender, 'same')).toEqual(done);
    await Promise.all([receiver.close(), sender.close()]);
  });
});
