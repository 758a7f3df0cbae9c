import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe } from 'vitest';
import { openPendingReplies } from '#libs/replies/pending-replies.ts';
import { openNatsReplies } from '#libs/replies/nats.ts';
import { isNatsAvailable, type NatsServer, startNatsServer } from '../support/nats/server.ts';
import { describeRepliesContract } from './replies.contract.ts';

const atOnce = async (): Promise<void> => undefined;

describeRepliesContract('memory', async () => {
  const answers = openPendingReplies();
  return { receiver: answers, sender: answers, waitUntilReady: atOnce, close: atOnce };
});

describe.skipIf(!isNatsAvailable)('with a server', () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await startNatsServer({ jetstream: false });
  });
  afterAll(() => server.remove());

  describeRepliesContract('NATS', async () => {
    const prefix = `test-${randomUUID()}`;
    const [waiting, giving] = [openNatsReplies(server.url, { prefix }), openNatsReplies(server.url, { prefix })];
    let probes = 0;
    /** Subscriptions take effect in order: when the latest one is confirmed, all earlier ones are active. */
    const settled = async (): Promise<void> => {
      const id = `probe${(probes += 1)}`;
      let came = false;
      const probe = waiting.wait(id, new AbortController().signal).then(() => (came = true));
      while (!came) {
        giving.send(id, { status: 'FAILED', error: { name: 'internal_error', message: '', extra: {} } });
        await Promise.race([probe, sleep(20)]);
      }
    };
    const close = async (): Promise<void> => void (await Promise.all([waiting.close(), giving.close()]));
    return { receiver: waiting, sender: giving, waitUntilReady: settled, close };
  });
});
