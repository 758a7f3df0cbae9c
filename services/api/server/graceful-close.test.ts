import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { enableGracefulClose } from './graceful-close.ts';

/** More than the operating system buffers for a connection. */
const large = Buffer.alloc(32 * 1024 * 1024);

/** A response whose caller has read its beginning, and then pauses. */
const beginResponse = async (payload: () => Buffer | Readable, maxSendMs?: number) => {
  const app = Fastify();
  enableGracefulClose(app, maxSendMs);
  app.get('/', async (_, reply) => reply.type('application/pdf').send(payload()));
  const [response] = (await once(get(await app.listen()), 'response')) as [IncomingMessage];
  await once(response, 'readable');
  return { app, response };
};

test('A caller that reads a response while the service stops gets all of it', async () => {
  const { app, response } = await beginResponse(() => large);
  const closed = app.close();
  let received = 0;
  for await (const chunk of response) received += (chunk as Buffer).length;
  expect(received).toBe(large.length);
  await closed;
});

test.each([
  ['is not read', () => large],
  [
    'has no end',
    () =>
      Readable.from(
        (function* () {
          for (;;) yield large.subarray(0, 65_536);
        })(),
      ),
  ],
])('A response that %s does not keep the service from stopping', async (_, payload) => {
  const { app, response } = await beginResponse(payload, 20);
  await app.close();
  const cut = once(response, 'close').catch((error: unknown) => error);
  response.resume();
  expect(await cut).toMatchObject({ code: 'ECONNRESET' });
});
