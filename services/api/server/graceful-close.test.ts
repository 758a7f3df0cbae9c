import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { enableGracefulClose } from './graceful-close.ts';

/** More than the operating system buffers for a connection. */
const large = Buffer.alloc(32 * 1024 * 1024);

const lengthOf = async (response: IncomingMessage): Promise<number> => {
  let length = 0;
  for await (const chunk of response) length += (chunk as Buffer).length;
  return length;
};

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
  expect(await lengthOf(response)).toBe(large.length);
  await closed;
});

test('A response that ends while another one is awaited is sent to its end, too', async () => {
  const app = Fastify();
  const [arrived, rendered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  // After the app has begun to wait for the first one.
  app.addHook('preClose', async () => void setImmediate(rendered.resolve));
  enableGracefulClose(app);
  app.get('/first', async () => large);
  app.get('/second', async () => {
    arrived.resolve();
    await rendered.promise;
    return large;
  });
  const url = await app.listen();
  const [first] = (await once(get(`${url}/first`), 'response')) as [IncomingMessage];
  const second = once(get(`${url}/second`), 'response') as Promise<[IncomingMessage]>;
  await arrived.promise;
  const closed = app.close();
  const [response] = await second;
  expect(await lengthOf(first)).toBe(large.length);
  await new Promise(setImmediate);
  expect(await lengthOf(response)).toBe(large.length);
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
