import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe } from 'vitest';
import { openMemoryAnswers } from '#libs/answers/memory.ts';
import { openNatsAnswers } from '#libs/answers/nats.ts';
import { isNatsThere, type NatsServer, startNats } from '../nats/server.ts';
import { describeAnswersContract } from './answers.contract.ts';

const atOnce = async (): Promise<void> => undefined;

describeAnswersContract('memory', async () => {
  const answers = openMemoryAnswers();
  return { waiting: answers, giving: answers, settled: atOnce, close: atOnce };
});

describe.skipIf(!isNatsThere)('with a server', () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await startNats({ jetstream: false });
  });
  afterAll(() => server.remove());

  describeAnswersContract('NATS', async () => {
    const prefix = `test-${randomUUID()}`;
    const [waiting, giving] = [openNatsAnswers(server.url, { prefix }), openNatsAnswers(server.url, { prefix })];
    let probes = 0;
    /** Subscriptions take effect in order: once an answer to the latest one has come, those before are there. */
    const settled = async (): Promise<void> => {
      const id = `probe${(probes += 1)}`;
      let came = false;
      const probe = waiting.wait(id, new AbortController().signal).then(() => (came = true));
      while (!came) {
        giving.give(id, { status: 'FAILED', fault: { name: 'internal_error', message: '', extra: {} } });
        await Promise.race([probe, sleep(20)]);
      }
    };
    const close = async (): Promise<void> => void (await Promise.all([waiting.close(), giving.close()]));
    return { waiting, giving, settled, close };
  });
});
