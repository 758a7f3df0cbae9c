import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openNatsAnswers } from '#libs/answers/nats.ts';
import type { Answer, Answers } from '#libs/answers/port.ts';
import { isNatsThere, type NatsServer, startNats } from './server.ts';

const answerMs = 1_000;
const done: Answer = { status: 'DONE', pdf: Buffer.from('%PDF'), pages: 1, durationMs: 1 };
const never = new AbortController().signal;

describe.skipIf(!isNatsThere)('Whoever waits for an answer over NATS', () => {
  let server: NatsServer;
  let operator: NatsConnection;
  beforeAll(async () => {
    server = await startNats();
    operator = await connect({ servers: server.url });
  });
  afterAll(async () => {
    await operator.close();
    await server.remove();
  });

  const opened = () => ({ asking: openNatsAnswers(server.url), giving: openNatsAnswers(server.url) });
  /** Whether anybody listens for the answer of a render. What is sent is an answer that nobody can take for one. */
  const isListenedFor = (id: string): Promise<boolean> => operator.request(`colophon.answer.${id}`, '{"answer":{"status":"FAILED"}}\n', { timeout: answerMs }).then(() => true, () => false);

  /** What one waits for, given by the other until it is there: the first may be sent before the server knows who listens. */
  const exchanged = async (asking: Answers, giving: Answers, id: string): Promise<Answer | null> => {
    let answer: Answer | null = null;
    void asking.wait(id, never).then((given) => (answer = given));
    await expect.poll(() => answer ?? giving.give(id, done)).toMatchObject({ status: 'DONE' });
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
