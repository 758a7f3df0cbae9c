import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { resolveToLoopback, closeAfterTest } from './testing/test-egress.ts';
import { startHttpServer, startTcpServer } from './testing/test-servers.ts';
import { host, shortTimeout, useWebhookReceivers, webhookRequest } from './testing/webhook-receivers.ts';

const { startEgress, https } = useWebhookReceivers();

describe('A webhook receiver', () => {
  test('gets the request, and its response is returned', async () => {
    let seen: unknown;
    const { port } = await https(async (request, response) => {
      seen = {
        method: request.method,
        url: request.url,
        host: request.headers.host,
        type: request.headers['content-type'],
        mine: request.headers['x-mine'],
        body: await text(request),
      };
      response.writeHead(202, { 'X-Seen': ['a', 'b'] }).end('thänks');
    });
    const result = await (await startEgress()).sendWebhook(webhookRequest(port, { method: 'PUT' }));
    expect(result).toEqual({
      kind: 'responded',
      status: 202,
      headers: expect.objectContaining({ 'x-seen': ['a', 'b'] }),
      body: 'thänks',
      durationMs: expect.any(Number),
    });
    expect(seen).toEqual({
      method: 'PUT',
      url: '/hook?token=secret',
      host: `${host}:${port}`,
      type: 'application/json',
      mine: 'yes',
      body: '{"status":"DONE"}',
    });
  });

  test('gets many requests over one connection', async () => {
    const receiver = await https((_request, response) => response.end('ok'));
    const egress = await startEgress();
    for (let i = 0; i < 20; i += 1) {
      expect(await egress.sendWebhook(webhookRequest(receiver.port))).toMatchObject({ kind: 'responded', status: 200 });
      // A connection is free again at the end of the event loop turn in which its response ended.
      await setImmediate();
    }
    expect(receiver.connectionCount()).toBe(1);
  });

  test('that asks to keep its connection open for 10 minutes: it is closed at the limit', async () => {
    const startReceiver = (headers: string) =>
      closeAfterTest(
        startTcpServer((socket) =>
          socket.on('data', () => socket.write(`HTTP/1.1 200 OK\r\n${headers}Content-Length: 2\r\n\r\nok`)),
        ),
      );
    const asking = await startReceiver('Keep-Alive: timeout=600\r\n');
    // undici closes this connection after 4 s: after the limit, and long before 10 minutes.
    const other = await startReceiver('');
    const egress = await startEgress({ limits: { maxKeepAliveMs: 100 } });
    for (const { port } of [other, asking]) {
      const request = webhookRequest(port, { url: `http://${host}:${port}/` });
      expect(await egress.sendWebhook(request)).toMatchObject({ kind: 'responded', status: 200 });
    }
    await expect.poll(() => [asking, other].some((receiver) => receiver.openConnectionCount() === 0)).toBe(true);
    expect(asking.openConnectionCount()).toBe(0);
  });

  test('that redirects: the redirect is returned and not followed', async () => {
    const elsewhere = await https((_request, response) => response.end());
    const { port } = await https((_request, response) =>
      response.writeHead(302, { location: `https://${host}:${elsewhere.port}/` }).end('moved'),
    );
    expect(await (await startEgress()).sendWebhook(webhookRequest(port))).toMatchObject({
      kind: 'responded',
      status: 302,
      body: 'moved',
    });
    expect(elsewhere.connectionCount()).toBe(0);
  });

  test('that sends early hints: the final response is returned', async () => {
    const { port } = await https((_request, response) => {
      response.writeEarlyHints({ link: '</x>; rel=preload' });
      response.writeHead(200).end('ok');
    });
    expect(await (await startEgress()).sendWebhook(webhookRequest(port))).toMatchObject({
      kind: 'responded',
      status: 200,
      body: 'ok',
    });
  });
});

describe('A webhook request', () => {
  test('fails when the receiver refuses the connection', async () => {
    const gone = await startHttpServer(() => {});
    await gone.close();
    expect(await (await startEgress()).sendWebhook(webhookRequest(gone.port))).toMatchObject({
      kind: 'failed',
      reason: `${host} refused the connection at port ${gone.port}.`,
    });
  });

  test('fails when the host does not exist', async () => {
    const nowhere = async () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
    expect(await (await startEgress({ resolve: nowhere })).sendWebhook(webhookRequest(443))).toMatchObject({
      kind: 'failed',
      reason: `The host ${host} does not exist or has no public address.`,
    });
  });

  test('times out when the name server does not respond', async () => {
    const neverResolves = () => new Promise<never>(() => {});
    expect(
      await (await startEgress({ resolve: neverResolves })).sendWebhook(webhookRequest(443, shortTimeout)),
    ).toMatchObject({
      kind: 'timeout',
      reason: `There was no connection to ${host} within 1 s.`,
    });
    expect(
      await (
        await startEgress({ resolve: neverResolves, limits: { lookupTimeoutMs: 100 } })
      ).sendWebhook(webhookRequest(443)),
    ).toMatchObject({ kind: 'timeout', reason: expect.stringContaining('was not resolved') });
  });

  test('fails when the receiver resets the connection', async () => {
    const { port } = await https((request) => request.socket.destroy());
    expect(await (await startEgress()).sendWebhook(webhookRequest(port))).toMatchObject({
      kind: 'failed',
      reason: `${host} closed the connection without a response.`,
    });
  });

  test('has a response when the body breaks off, because the status counts', async () => {
    const { port } = await https((request, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('half', () => request.socket.destroy());
    });
    expect(await (await startEgress()).sendWebhook(webhookRequest(port))).toMatchObject({
      kind: 'responded',
      status: 200,
      body: 'half',
    });
  });

  test('has a response when the body breaks the rules of HTTP', async () => {
    const { port } = await closeAfterTest(
      startTcpServer((socket) =>
        socket.end('HTTP/1.1 503 Busy\r\ntransfer-encoding: chunked\r\n\r\n4\r\nbusy\r\nnonsense'),
      ),
    );
    const { sendWebhook } = await startEgress();
    expect(await sendWebhook(webhookRequest(port, { url: `http://${host}:${port}/` }))).toMatchObject({
      kind: 'responded',
      status: 503,
    });
  });

  test('reads an endless body up to the limit, then closes the connection', async () => {
    let closed = false;
    const { port } = await https((_request, response) => {
      response.once('close', () => (closed = true));
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(999)));
      };
      response.on('drain', write);
      write();
    });
    const hour = 3_600_000;
    const egress = await startEgress({ limits: { bodyTimeoutMs: hour } });
    const result = await egress.sendWebhook(webhookRequest(port, { maxResponseBytes: 64 * 1024, timeoutMs: hour }));
    expect(result).toMatchObject({ kind: 'responded', status: 200, body: 'x'.repeat(64 * 1024) });
    await expect.poll(() => closed).toBe(true);
  });

  test.each([
    ['short', { bodyTimeoutMs: 50 }, 3_600_000],
    ['long', { bodyTimeoutMs: 60_000 }, 1_500],
  ])(
    'has a response when the body never ends, and closes the connection after a %s body timeout',
    async (_name, limits, timeoutMs) => {
      const receiver = await https((_request, response) => {
        response.writeHead(200).write('begun');
        const drip = setInterval(() => response.write('.'), 20);
        response.once('close', () => clearInterval(drip));
      });
      const result = await (await startEgress({ limits })).sendWebhook(webhookRequest(receiver.port, { timeoutMs }));
      expect(result).toMatchObject({ kind: 'responded', status: 200, body: expect.stringMatching(/^begun\.*$/) });
      await expect.poll(receiver.openConnectionCount).toBe(0);
    },
  );

  test('has a response when the body never starts, and closes the connection', async () => {
    const receiver = await https((_request, response) =>
      response.writeHead(202, { 'content-length': 5 }).flushHeaders(),
    );
    const result = await (
      await startEgress({ limits: { bodyTimeoutMs: 50 } })
    ).sendWebhook(webhookRequest(receiver.port, { timeoutMs: 3_600_000 }));
    expect(result).toMatchObject({ kind: 'responded', status: 202, body: '' });
    await expect.poll(receiver.openConnectionCount).toBe(0);
  });

  test('times out when the headers never end', async () => {
    const { port } = await closeAfterTest(
      startTcpServer((socket) => {
        const drip = setInterval(() => socket.write('x'), 20);
        socket.once('close', () => clearInterval(drip)).write('HTTP/1.1 200 OK\r\nx: ');
      }),
    );
    expect(
      await (
        await startEgress()
      ).sendWebhook(webhookRequest(port, { ...shortTimeout, url: `http://${host}:${port}/` })),
    ).toMatchObject({ kind: 'timeout' });
  });

  test('times out when no response comes, and closes the connection', async () => {
    let requests = 0;
    const receiver = await https(() => void (requests += 1));
    expect(await (await startEgress()).sendWebhook(webhookRequest(receiver.port, shortTimeout))).toMatchObject({
      kind: 'timeout',
      reason: `${host} accepted the request and did not respond within 1 s.`,
    });
    expect(requests).toBe(1);
    await expect.poll(receiver.openConnectionCount).toBe(0);
  });

  test('times out when only early hints come', async () => {
    const { port } = await https((_request, response) => response.writeEarlyHints({ link: '</x>; rel=preload' }));
    expect(await (await startEgress()).sendWebhook(webhookRequest(port, shortTimeout))).toMatchObject({
      kind: 'timeout',
      reason: expect.stringContaining('did not respond'),
    });
  });

  test.each([
    ['something that is not HTTP', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['something that is not HTTP', 'HTTP/1.1 000 OK\r\n\r\n'],
    ['status 100 or 101', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'],
    ['status 100 or 101', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
    ['headers that are too large', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`],
  ])('fails when the receiver responds with %s', async (reason, response) => {
    const { port } = await closeAfterTest(startTcpServer((socket) => socket.end(response)));
    expect(
      await (await startEgress()).sendWebhook(webhookRequest(port, { url: `http://${host}:${port}/` })),
    ).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining(reason),
    });
  });

  test('is not delayed by a thousand requests that get no response', async () => {
    const silent = await https(() => {});
    const good = await https((_request, response) => response.end('ok'));
    const egress = await startEgress({ allowList: ['*.test'] });
    const pending = Array.from({ length: 1000 }, (_, i) =>
      egress.sendWebhook(
        webhookRequest(silent.port, { url: `http://n${i}.test:${silent.port}/`, timeoutMs: 3_600_000 }),
      ),
    );
    expect(await egress.sendWebhook(webhookRequest(good.port))).toMatchObject({
      kind: 'responded',
      status: 200,
    });
    await egress.close();
    expect((await Promise.all(pending)).every(({ kind }) => kind === 'failed')).toBe(true);
  });

  test('sends nothing on a connection that opens after the timeout', async () => {
    const { promise: resolved, resolve } = Promise.withResolvers<void>();
    let received = '';
    const receiver = await closeAfterTest(startTcpServer((socket) => socket.on('data', (data) => (received += data))));
    const egress = await startEgress({ resolve: () => resolved.then(resolveToLoopback) });
    expect(
      await egress.sendWebhook(
        webhookRequest(receiver.port, { ...shortTimeout, url: `http://${host}:${receiver.port}/` }),
      ),
    ).toMatchObject({ kind: 'timeout' });
    resolve();
    await expect.poll(receiver.connectionCount).toBe(1);
    expect(received).toBe('');
  });
});

test('A webhook request uses the first address that accepts a connection', async () => {
  const { port } = await https((_request, response) => response.end('ok'));
  const several = async () => [
    { address: '127.0.0.9', family: 4 as const },
    { address: '::1', family: 6 as const },
    ...(await resolveToLoopback()),
  ];
  expect(await (await startEgress({ resolve: several })).sendWebhook(webhookRequest(port))).toMatchObject({
    kind: 'responded',
    status: 200,
  });
});

test('A header that cannot be sent is a failed result, not an exception', async () => {
  expect(
    await (await startEgress()).sendWebhook(webhookRequest(443, { headers: { 'x-bad': 'a\r\nb: c' } })),
  ).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('header'),
  });
});
