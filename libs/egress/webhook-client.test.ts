import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WebhookRequest, EgressOptions } from './egress.ts';
import {
  createCertificateAuthority,
  createSelfSignedCertificate,
  type CertificateAuthority,
  type Certificate,
} from './testing/certificates.ts';
import { resolveToLoopback, closeAfterTest, openTestEgress } from './testing/test-egress.ts';
import {
  startHttpServer,
  startHttpsServer,
  startTcpServer,
  type RequestHandler,
  type TestServer,
} from './testing/test-servers.ts';

const host = 'receiver.test';

let authority: CertificateAuthority;
let certificate: Certificate;
let folder: string;

beforeAll(async () => {
  authority = await createCertificateAuthority();
  certificate = await authority.issue(host);
  folder = await mkdtemp(join(tmpdir(), 'egress-'));
  await writeFile(join(folder, 'ca.pem'), authority.cert);
});
afterAll(() => rm(folder, { recursive: true }));

const startEgress = (settings: Partial<EgressOptions> = {}) =>
  openTestEgress({ allowList: [host], caFile: join(folder, 'ca.pem'), ...settings });

const https = (handle: RequestHandler): Promise<TestServer> => closeAfterTest(startHttpsServer(certificate, handle));

const call = (port: number, more: Partial<WebhookRequest> = {}): WebhookRequest => ({
  account: 'acc_a',
  url: `https://${host}:${port}/hook?token=secret`,
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-mine': 'yes' },
  body: Buffer.from('{"status":"DONE"}'),
  timeoutMs: 10_000,
  maxResponseBytes: 1000,
  ...more,
});

const soon = { timeoutMs: 300 };

describe('a good receiver', () => {
  test('gets the very request, and its answer comes back', async () => {
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
      response.writeHead(202).end('thänks');
    });
    const outcome = await (await startEgress()).sendWebhook(call(port, { method: 'PUT' }));
    expect(outcome).toEqual({ kind: 'responded', status: 202, body: 'thänks', durationMs: expect.any(Number) });
    expect(seen).toEqual({
      method: 'PUT',
      url: '/hook?token=secret',
      host: `${host}:${port}`,
      type: 'application/json',
      mine: 'yes',
      body: '{"status":"DONE"}',
    });
  });

  test('is sent many callbacks over one connection', async () => {
    const receiver = await https((_request, response) => response.end('ok'));
    const egress = await startEgress();
    for (let i = 0; i < 20; i += 1) {
      expect(await egress.sendWebhook(call(receiver.port))).toMatchObject({ kind: 'responded', status: 200 });
      // A connection is free again at the end of the turn in which its answer ended.
      await setImmediate();
    }
    expect(receiver.connectionCount()).toBe(1);
  });

  test('may be at an address that the operator has opened, with a certificate for the address', async () => {
    const { port } = await closeAfterTest(
      startHttpsServer(await authority.issue('127.0.0.1'), (_request, response) => response.end('ok')),
    );
    const egress = await startEgress({ allowList: ['127.0.0.0/8'] });
    expect(await egress.sendWebhook(call(port, { url: `https://127.0.0.1:${port}/` }))).toMatchObject({
      kind: 'responded',
      status: 200,
    });
  });

  test('that redirects is reported with the redirect, and nobody goes there', async () => {
    const elsewhere = await https((_request, response) => response.end());
    const { port } = await https((_request, response) =>
      response.writeHead(302, { location: `https://${host}:${elsewhere.port}/` }).end('moved'),
    );
    expect(await (await startEgress()).sendWebhook(call(port))).toMatchObject({
      kind: 'responded',
      status: 302,
      body: 'moved',
    });
    expect(elsewhere.connectionCount()).toBe(0);
  });

  test('that sends a hint before its answer is reported with the answer', async () => {
    const { port } = await https((_request, response) => {
      response.writeEarlyHints({ link: '</x>; rel=preload' });
      response.writeHead(200).end('ok');
    });
    expect(await (await startEgress()).sendWebhook(call(port))).toMatchObject({
      kind: 'responded',
      status: 200,
      body: 'ok',
    });
  });
});

describe('a bad receiver', () => {
  test('that refuses the connection has failed', async () => {
    const gone = await startHttpServer(() => {});
    await gone.close();
    expect(await (await startEgress()).sendWebhook(call(gone.port))).toMatchObject({
      kind: 'failed',
      reason: `${host} refused the connection at port ${gone.port}.`,
    });
  });

  test('that does not exist has failed', async () => {
    const nowhere = async () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
    expect(await (await startEgress({ resolve: nowhere })).sendWebhook(call(443))).toMatchObject({
      kind: 'failed',
      reason: `The host ${host} does not exist or has no public address.`,
    });
  });

  test('whose name server never answers has timed out', async () => {
    const never = () => new Promise<never>(() => {});
    expect(await (await startEgress({ resolve: never })).sendWebhook(call(443, soon))).toMatchObject({
      kind: 'timeout',
      reason: `There was no connection to ${host} within 0.3 s.`,
    });
    expect(
      await (await startEgress({ resolve: never, limits: { lookupTimeoutMs: 100 } })).sendWebhook(call(443)),
    ).toMatchObject({ kind: 'timeout', reason: expect.stringContaining('was not resolved') });
  });

  test('that speaks no TLS has failed', async () => {
    const { port } = await closeAfterTest(startHttpServer((_request, response) => response.end()));
    expect(await (await startEgress()).sendWebhook(call(port))).toMatchObject({
      kind: 'failed',
      reason: `${host} does not speak TLS at this port.`,
    });
  });

  test('that closes during the TLS handshake has failed', async () => {
    const { port } = await closeAfterTest(startTcpServer((socket) => socket.once('data', () => socket.destroy())));
    expect(await (await startEgress()).sendWebhook(call(port))).toMatchObject({
      kind: 'failed',
      reason: `${host} closed the connection during the TLS handshake.`,
    });
  });

  test('that never finishes the TLS handshake has timed out', async () => {
    const { port } = await closeAfterTest(startTcpServer(() => {}));
    expect(await (await startEgress()).sendWebhook(call(port, soon))).toMatchObject({
      kind: 'timeout',
      reason: `There was no connection to ${host} within 0.3 s.`,
    });
    expect(await (await startEgress({ limits: { connectTimeoutMs: 100 } })).sendWebhook(call(port))).toMatchObject({
      kind: 'timeout',
      reason: `${host} did not finish the TLS handshake in time.`,
    });
  });

  test.each([
    ['has expired', async () => authority.issue(host, new Date(Date.now() - 60_000))],
    ['is made out to another host', async () => authority.issue('other.test')],
    ['comes from an authority that is not trusted', async () => (await createCertificateAuthority()).issue(host)],
    ['is self-signed', async () => createSelfSignedCertificate(host)],
  ])('whose certificate %s has failed, and the request stays unsent', async (reason, made) => {
    let requests = 0;
    const { port } = await closeAfterTest(startHttpsServer(await made(), () => void (requests += 1)));
    expect(await (await startEgress()).sendWebhook(call(port))).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining(reason),
    });
    expect(requests).toBe(0);
  });

  test('that resets the connection has failed', async () => {
    const { port } = await https((request) => request.socket.destroy());
    expect(await (await startEgress()).sendWebhook(call(port))).toMatchObject({
      kind: 'failed',
      reason: `${host} closed the connection without an answer.`,
    });
  });

  test('that breaks off its body has answered: the status decides', async () => {
    const { port } = await https((request, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('half', () => request.socket.destroy());
    });
    expect(await (await startEgress()).sendWebhook(call(port))).toMatchObject({
      kind: 'responded',
      status: 200,
      body: 'half',
    });
  });

  test('that breaks the rules of HTTP in its body has answered', async () => {
    const { port } = await closeAfterTest(
      startTcpServer((socket) =>
        socket.end('HTTP/1.1 503 Busy\r\ntransfer-encoding: chunked\r\n\r\n4\r\nbusy\r\nnonsense'),
      ),
    );
    const { sendWebhook } = await startEgress();
    expect(await sendWebhook(call(port, { url: `http://${host}:${port}/` }))).toMatchObject({
      kind: 'responded',
      status: 503,
    });
  });

  test('that sends an endless body is read as far as the limit, then left', async () => {
    let left = false;
    const { port } = await https((_request, response) => {
      response.once('close', () => (left = true));
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(999)));
      };
      response.on('drain', pour);
      pour();
    });
    const outcome = await (await startEgress()).sendWebhook(call(port, { maxResponseBytes: 64 * 1024 }));
    expect(outcome).toMatchObject({ kind: 'responded', status: 200, body: 'x'.repeat(64 * 1024) });
    await expect.poll(() => left).toBe(true);
  });

  test.each([
    ['short', { bodyTimeoutMs: 50 }, 3_600_000],
    ['long', { bodyTimeoutMs: 60_000 }, 1_500],
  ])(
    'that drips its body has answered, and is left: where the time for a body is %s, too',
    async (_length, limits, timeoutMs) => {
      const receiver = await https((_request, response) => {
        response.writeHead(200).write('begun');
        const drip = setInterval(() => response.write('.'), 20);
        response.once('close', () => clearInterval(drip));
      });
      const outcome = await (await startEgress({ limits })).sendWebhook(call(receiver.port, { timeoutMs }));
      expect(outcome).toMatchObject({ kind: 'responded', status: 200, body: expect.stringMatching(/^begun\.*$/) });
      await expect.poll(receiver.openConnectionCount).toBe(0);
    },
  );

  test('that sends its head alone has answered, and is left', async () => {
    const receiver = await https((_request, response) =>
      response.writeHead(202, { 'content-length': 5 }).flushHeaders(),
    );
    const outcome = await (
      await startEgress({ limits: { bodyTimeoutMs: 50 } })
    ).sendWebhook(call(receiver.port, { timeoutMs: 3_600_000 }));
    expect(outcome).toMatchObject({ kind: 'responded', status: 202, body: '' });
    await expect.poll(receiver.openConnectionCount).toBe(0);
  });

  test('that drips its head has timed out', async () => {
    const { port } = await closeAfterTest(
      startTcpServer((socket) => {
        const drip = setInterval(() => socket.write('x'), 20);
        socket.once('close', () => clearInterval(drip)).write('HTTP/1.1 200 OK\r\nx: ');
      }),
    );
    expect(
      await (await startEgress()).sendWebhook(call(port, { ...soon, url: `http://${host}:${port}/` })),
    ).toMatchObject({ kind: 'timeout' });
  });

  test('that answers after the deadline has timed out, and is left', async () => {
    let asked = 0;
    const receiver = await https(() => void (asked += 1));
    expect(await (await startEgress()).sendWebhook(call(receiver.port, soon))).toMatchObject({
      kind: 'timeout',
      reason: `${host} took the request and did not answer within 0.3 s.`,
    });
    expect(asked).toBe(1);
    await expect.poll(receiver.openConnectionCount).toBe(0);
  });

  test('that sends a hint and no answer has timed out without one', async () => {
    const { port } = await https((_request, response) => response.writeEarlyHints({ link: '</x>; rel=preload' }));
    expect(await (await startEgress()).sendWebhook(call(port, soon))).toMatchObject({
      kind: 'timeout',
      reason: expect.stringContaining('did not answer'),
    });
  });

  test.each([
    ['something that is not HTTP', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['too large a head', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`],
  ])('that answers with %s has failed', async (reason, answer) => {
    const { port } = await closeAfterTest(startTcpServer((socket) => socket.end(answer)));
    expect(await (await startEgress()).sendWebhook(call(port, { url: `http://${host}:${port}/` }))).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining(reason),
    });
  });

  test('does not hold up a good one, a thousand at once', async () => {
    const silent = await https(() => {});
    const good = await https((_request, response) => response.end('ok'));
    const egress = await startEgress({ allowList: ['*.test'] });
    const waiting = Array.from({ length: 1000 }, (_, i) =>
      egress.sendWebhook(call(silent.port, { url: `http://n${i}.test:${silent.port}/`, timeoutMs: 20_000 })),
    );
    expect(await egress.sendWebhook(call(good.port, { timeoutMs: 15_000 }))).toMatchObject({
      kind: 'responded',
      status: 200,
    });
    await egress.close();
    expect((await Promise.all(waiting)).every(({ kind }) => kind === 'failed')).toBe(true);
  });

  test('that takes the connection after the deadline is sent nothing any more', async () => {
    const { promise: resolved, resolve } = Promise.withResolvers<void>();
    let heard = '';
    const receiver = await closeAfterTest(startTcpServer((socket) => socket.on('data', (data) => (heard += data))));
    const egress = await startEgress({ resolve: () => resolved.then(resolveToLoopback) });
    expect(
      await egress.sendWebhook(call(receiver.port, { ...soon, url: `http://${host}:${receiver.port}/` })),
    ).toMatchObject({ kind: 'timeout' });
    resolve();
    await expect.poll(receiver.connectionCount).toBe(1);
    expect(heard).toBe('');
  });
});

test('of several addresses the first that answers is taken', async () => {
  const { port } = await https((_request, response) => response.end('ok'));
  const several = async () => [
    { address: '127.0.0.9', family: 4 as const },
    { address: '::1', family: 6 as const },
    ...(await resolveToLoopback()),
  ];
  expect(await (await startEgress({ resolve: several })).sendWebhook(call(port))).toMatchObject({
    kind: 'responded',
    status: 200,
  });
});

test('a header that cannot be sent is reported, not thrown', async () => {
  expect(await (await startEgress()).sendWebhook(call(443, { headers: { 'x-bad': 'a\r\nb: c' } }))).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('header'),
  });
});

test('a CA file without a certificate keeps the door from opening', async () => {
  const file = join(folder, 'empty.pem');
  await writeFile(file, 'nothing here');
  await expect(startEgress({ caFile: file })).rejects.toThrow('holds no certificate');
});
