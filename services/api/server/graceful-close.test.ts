import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import Fastify, { type FastifyInstance } from 'fastify';
import { expect, test } from 'vitest';
import { enableGracefulClose } from './graceful-close.ts';

/** More than the operating system buffers for a connection. */
const large = Buffer.alloc(32 * 1024 * 1024);

const lengthOf = async (response: IncomingMessage): Promise<number> => {
  let length = 0;
  for await (const chunk of response) length += (chunk as Buffer).length;
  return length;
};

/** The longest time of a timer. */
const never = 2 ** 31 - 1;

/** A response whose caller has read its beginning, and then pauses. */
const beginResponse = async (payload: () => Buffer | Readable, maxSendMs = never) => {
  const app = Fastify();
  enableGracefulClose(app, { maxSendMs, maxCloseMs: never });
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

/** A connection on which the beginning of a request has arrived. */
const beginRequest = async (app: FastifyInstance): Promise<Socket> => {
  const arrived = once(app.server, 'connection') as Promise<[Socket]>;
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {});
  const [connection] = await arrived;
  const received = once(connection, 'data');
  socket.write('GET / HTTP/1.1\r\nhost:');
  await received;
  return socket;
};

/** An app that stops, while a request to it and the beginning of another have arrived. `ready` resolves the first. */
const stopWhileHeld = async (limits: Parameters<typeof enableGracefulClose>[1]) => {
  const app = Fastify();
  const [arrived, ready, stopping] = [0, 1, 2].map(() => Promise.withResolvers<void>());
  enableGracefulClose(app, limits);
  app.addHook('preClose', async () => void setImmediate(() => setImmediate(stopping!.resolve)));
  app.get('/', async () => {
    arrived!.resolve();
    await ready!.promise;
    return large;
  });
  const request = get(await app.listen());
  const response = once(request, 'response').then(([message]) => message as IncomingMessage);
  await arrived!.promise;
  await beginRequest(app);
  const closed = app.close();
  await stopping!.promise;
  return { closed, response, ready: ready!.resolve };
};

test('A connection without end does not keep an idle service from stopping', async () => {
  const app = Fastify();
  enableGracefulClose(app, { maxCloseMs: never });
  await app.listen();
  const socket = await beginRequest(app);
  await app.close();
  expect(socket.closed || (await once(socket, 'close'))).toBeTruthy();
});

test('A connection without end does not keep the service from stopping after its last response', async () => {
  const { closed, response, ready } = await stopWhileHeld({ maxCloseMs: never });
  ready();
  expect(await lengthOf(await response)).toBe(large.length);
  await closed;
});

test('A response that begins while the service stops, and is not read, does not keep it from stopping', async () => {
  const { closed, response, ready } = await stopWhileHeld({ maxSendMs: 20, maxCloseMs: never });
  ready();
  const message = await response;
  await closed;
  await expect(lengthOf(message)).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test('A request that does not end does not keep the service from stopping', async () => {
  const { closed, response } = await stopWhileHeld({ maxCloseMs: 20 });
  const failure = response.catch((error: unknown) => error);
  await closed;
  expect(await failure).toMatchObject({ code: 'ECONNRESET' });
});
