import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openNatsReplies } from '#libs/replies/nats.ts';
import type { RenderReply, RenderReplies } from '#libs/replies/port.ts';
import { isNatsAvailable, type NatsServer, startNatsServer } from '../support/nats/server.ts';

const requestTimeoutMs = 1_000;
const done: RenderReply = { status: 'DONE', pdf: Buffer.from('%PDF'), pages: 1, durationMs: 1 };
const never = new AbortController().signal;

describe.skipIf(!isNatsAvailable)('Whoever waits for an answer over NATS', () => {
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

  const opened = () => ({ asking: openNatsReplies(server.url), giving: openNatsReplies(server.url) });
  /** Whether anybody listens for the answer of a render. What is sent is an answer that nobody can take for one. */
  const isListenedFor = (id: string): Promise<boolean> =>
    operator.request(`colophon.reply.${id}`, '{"reply":{"status":"FAILED"}}\n', { timeout: requestTimeoutMs }).then(
      () => true,
      () => false,
    );

  /** What one waits for, given by the other until it is there: the first may be sent before the server knows who listens. */
  const exchanged = async (asking: RenderReplies, giving: RenderReplies, id: string): Promise<RenderReply | null> => {
    let answer: RenderReply | null = null;
    void asking.wait(id, never).then((given) => (answer = given));
    await expect.poll(() => answer ?? giving.send(id, done)).toMatchObject({ status: 'DONE' });
    return answer;
  };

  it('listens no more once the answer was there, or was given up', async () => {
    const { asking, giving } = opened();
    await expect.poll(() => asking.missing() ?? giving.missing()).toBeNull();
    const over = new AbortController();
    const givenUp = asking.wait('given-up', over.signal);
    over.abort();
    expect(await exchanged(asking, giving, 'answered')).toEqual(done);
    expect(await givenUp).toBeNull();
    for (const id of ['answered', 'given-up']) await expect.poll(() => isListenedFor(id)).toBe(false);
    await Promise.all([asking.close(), giving.close()]);
  });

  it('hears what comes when it waits again for the same, again and again', async () => {
    const { asking, giving } = opened();
    await expect.poll(() => asking.missing() ?? giving.missing()).toBeNull();
    for (let round = 0; round < 20; round += 1) expect(await exchanged(asking, giving, 'same')).toEqual(done);
    await Promise.all([asking.close(), giving.close()]);
  });
});
