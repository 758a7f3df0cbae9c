import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Call, EgressSettings } from './door.ts';
import { makeAuthority, selfSigned, type Authority, type Certificate } from './fixtures/certificates.ts';
import { here, kept, openDoor } from './fixtures/kept.ts';
import { httpServer, httpsServer, rawServer, type Handle, type Listening } from './fixtures/listening.ts';

const host = 'receiver.test';

let authority: Authority;
let certificate: Certificate;
let folder: string;

beforeAll(async () => {
  authority = await makeAuthority();
  certificate = await authority.issue(host);
  folder = await mkdtemp(join(tmpdir(), 'egress-'));
  await writeFile(join(folder, 'ca.pem'), authority.cert);
});
afterAll(() => rm(folder, { recursive: true }));

const door = (settings: Partial<EgressSettings> = {}) => openDoor({ allow: [host], caFile: join(folder, 'ca.pem'), ...settings });

const https = (handle: Handle): Promise<Listening> => kept(httpsServer(certificate, handle));

const call = (port: number, more: Partial<Call> = {}): Call => ({
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
      seen = { method: request.method, url: request.url, host: request.headers.host, type: request.headers['content-type'], mine: request.headers['x-mine'], body: await text(request) };
      response.writeHead(202).end('thänks');
    });
    const outcome = await (await door()).request(call(port, { method: 'PUT' }));
    expect(outcome).toEqual({ kind: 'answered', status: 202, body: 'thänks', durationMs: expect.any(Number) });
    expect(seen).toEqual({ method: 'PUT', url: '/hook?token=secret', host: `${host}:${port}`, type: 'application/json', mine: 'yes', body: '{"status":"DONE"}' });
  });

  test('is sent many callbacks over one connection', async () => {
    const receiver = await https((_request, response) => response.end('ok'));
    const egress = await door();
    for (let i = 0; i < 20; i += 1) {
      expect(await egress.request(call(receiver.port))).toMatchObject({ kind: 'answered', status: 200 });
      // A connection is free again at the end of the turn in which its answer ended.
      await setImmediate();
    }
    expect(receiver.connections()).toBe(1);
  });

  test('may be at an address that the operator has opened, with a certificate for the address', async () => {
    const { port } = await kept(httpsServer(await authority.issue('127.0.0.1'), (_request, response) => response.end('ok')));
    const egress = await door({ allow: ['127.0.0.0/8'] });
    expect(await egress.request(call(port, { url: `https://127.0.0.1:${port}/` }))).toMatchObject({ kind: 'answered', status: 200 });
  });

  test('that redirects is reported with the redirect, and nobody goes there', async () => {
    const elsewhere = await https((_request, response) => response.end());
    const { port } = await https((_request, response) => response.writeHead(302, { location: `https://${host}:${elsewhere.port}/` }).end('moved'));
    expect(await (await door()).request(call(port))).toMatchObject({ kind: 'answered', status: 302, body: 'moved' });
    expect(elsewhere.connections()).toBe(0);
  });

  test('that sends a hint before its answer is reported with the answer', async () => {
    const { port } = await https((_request, response) => {
      response.writeEarlyHints({ link: '</x>; rel=preload' });
      response.writeHead(200).end('ok');
    });
    expect(await (await door()).request(call(port))).toMatchObject({ kind: 'answered', status: 200, body: 'ok' });
  });
});

describe('a bad receiver', () => {
  test('that refuses the connection has failed', async () => {
    const gone = await httpServer(() => {});
    await gone.close();
    expect(await (await door()).request(call(gone.port))).toMatchObject({ kind: 'failed', reason: `${host} refused the connection at port ${gone.port}.` });
  });

  test('that does not exist has failed', async () => {
    const nowhere = async () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
    expect(await (await door({ resolve: nowhere })).request(call(443))).toMatchObject({ kind: 'failed', reason: `The host ${host} does not exist or has no public address.` });
  });

  test('whose name server never answers has timed out', async () => {
    const never = () => new Promise<never>(() => {});
    expect(await (await door({ resolve: never })).request(call(443, soon))).toMatchObject({ kind: 'timeout', reason: `There was no connection to ${host} within 0.3 s.` });
    expect(await (await door({ resolve: never, limits: { lookupMs: 100 } })).request(call(443))).toMatchObject({ kind: 'timeout', reason: expect.stringContaining('was not resolved') });
  });

  test('that speaks no TLS has failed', async () => {
    const { port } = await kept(httpServer((_request, response) => response.end()));
    expect(await (await door()).request(call(port))).toMatchObject({ kind: 'failed', reason: `${host} does not speak TLS at this port.` });
  });

  test('that closes during the TLS handshake has failed', async () => {
    const { port } = await kept(rawServer((socket) => socket.once('data', () => socket.destroy())));
    expect(await (await door()).request(call(port))).toMatchObject({ kind: 'failed', reason: `${host} closed the connection during the TLS handshake.` });
  });

  test('that never finishes the TLS handshake has timed out', async () => {
    const { port } = await kept(rawServer(() => {}));
    expect(await (await door()).request(call(port, soon))).toMatchObject({ kind: 'timeout', reason: `There was no connection to ${host} within 0.3 s.` });
    expect(await (await door({ limits: { connectMs: 100 } })).request(call(port))).toMatchObject({ kind: 'timeout', reason: `${host} did not finish the TLS handshake in time.` });
  });

  test.each([
    ['has expired', async () => authority.issue(host, new Date(Date.now() - 60_000))],
    ['is made out to another host', async () => authority.issue('other.test')],
    ['comes from an authority that is not trusted', async () => (await makeAuthority()).issue(host)],
    ['is self-signed', async () => selfSigned(host)],
  ])('whose certificate %s has failed, and the request stays unsent', async (reason, made) => {
    let requests = 0;
    const { port } = await kept(httpsServer(await made(), () => void (requests += 1)));
    expect(await (await door()).request(call(port))).toMatchObject({ kind: 'failed', reason: expect.stringContaining(reason) });
    expect(requests).toBe(0);
  });

  test('that resets the connection has failed', async () => {
    const { port } = await https((request) => request.socket.destroy());
    expect(await (await door()).request(call(port))).toMatchObject({ kind: 'failed', reason: `${host} closed the connection without an answer.` });
  });

  test('that breaks off its body has answered: the status decides', async () => {
    const { port } = await https((request, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('half', () => request.socket.destroy());
    });
    expect(await (await door()).request(call(port))).toMatchObject({ kind: 'answered', status: 200, body: 'half' });
  });

  test('that breaks the rules of HTTP in its body has answered', async () => {
    const { port } = await kept(
      rawServer((socket) => socket.end('HTTP/1.1 503 Busy\r\ntransfer-encoding: chunked\r\n\r\n4\r\nbusy\r\nnonsense')),
    );
    const { request } = await door();
    expect(await request(call(port, { url: `http://${host}:${port}/` }))).toMatchObject({ kind: 'answered', status: 503 });
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
    const outcome = await (await door()).request(call(port, { maxResponseBytes: 64 * 1024 }));
    expect(outcome).toMatchObject({ kind: 'answered', status: 200, body: 'x'.repeat(64 * 1024) });
    await expect.poll(() => left).toBe(true);
  });

  test.each([['short', { bodyMs: 50 }, 3_600_000], ['long', { bodyMs: 60_000 }, 1_500]])(
    'that drips its body has answered, and is left: where the time for a body is %s, too',
    async (_length, limits, timeoutMs) => {
      const receiver = await https((_request, response) => {
        response.writeHead(200).write('begun');
        const drip = setInterval(() => response.write('.'), 20);
        response.once('close', () => clearInterval(drip));
      });
      const outcome = await (await door({ limits })).request(call(receiver.port, { timeoutMs }));
      expect(outcome).toMatchObject({ kind: 'answered', status: 200, body: expect.stringMatching(/^begun\.*$/) });
      await expect.poll(receiver.openNow).toBe(0);
    },
  );

  test('that sends its head alone has answered, and is left', async () => {
    const receiver = await https((_request, response) => response.writeHead(202, { 'content-length': 5 }).flushHeaders());
    const outcome = await (await door({ limits: { bodyMs: 50 } })).request(call(receiver.port, { timeoutMs: 3_600_000 }));
    expect(outcome).toMatchObject({ kind: 'answered', status: 202, body: '' });
    await expect.poll(receiver.openNow).toBe(0);
  });

  test('that drips its head has timed out', async () => {
    const { port } = await kept(
      rawServer((socket) => {
        const drip = setInterval(() => socket.write('x'), 20);
        socket.once('close', () => clearInterval(drip)).write('HTTP/1.1 200 OK\r\nx: ');
      }),
    );
    expect(await (await door()).request(call(port, { ...soon, url: `http://${host}:${port}/` }))).toMatchObject({ kind: 'timeout' });
  });

  test('that answers after the deadline has timed out, and is left', async () => {
    let asked = 0;
    const receiver = await https(() => void (asked += 1));
    expect(await (await door()).request(call(receiver.port, soon))).toMatchObject({ kind: 'timeout', reason: `${host} took the request and did not answer within 0.3 s.` });
    expect(asked).toBe(1);
    await expect.poll(receiver.openNow).toBe(0);
  });

  test('that sends a hint and no answer has timed out without one', async () => {
    const { port } = await https((_request, response) => response.writeEarlyHints({ link: '</x>; rel=preload' }));
    expect(await (await door()).request(call(port, soon))).toMatchObject({ kind: 'timeout', reason: expect.stringContaining('did not answer') });
  });

  test.each([
    ['something that is not HTTP', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['too large a head', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`],
  ])('that answers with %s has failed', async (reason, answer) => {
    const { port } = await kept(rawServer((socket) => socket.end(answer)));
    expect(await (await door()).request(call(port, { url: `http://${host}:${port}/` }))).toMatchObject({ kind: 'failed', reason: expect.stringContaining(reason) });
  });

  test('does not hold up a good one, a thousand at once', async () => {
    const silent = await https(() => {});
    const good = await https((_request, response) => response.end('ok'));
    const egress = await door({ allow: ['*.test'] });
    const waiting = Array.from({ length: 1000 }, (_, i) => egress.request(call(silent.port, { url: `http://n${i}.test:${silent.port}/`, timeoutMs: 20_000 })));
    expect(await egress.request(call(good.port, { timeoutMs: 15_000 }))).toMatchObject({ kind: 'answered', status: 200 });
    await egress.close();
    expect((await Promise.all(waiting)).every(({ kind }) => kind === 'failed')).toBe(true);
  });

  test('that takes the connection after the deadline is sent nothing any more', async () => {
    const { promise: resolved, resolve } = Promise.withResolvers<void>();
    let heard = '';
    const receiver = await kept(rawServer((socket) => socket.on('data', (data) => (heard += data))));
    const egress = await door({ resolve: () => resolved.then(here) });
    expect(await egress.request(call(receiver.port, { ...soon, url: `http://${host}:${receiver.port}/` }))).toMatchObject({ kind: 'timeout' });
    resolve();
    await expect.poll(receiver.connections).toBe(1);
    expect(heard).toBe('');
  });
});

test('of several addresses the first that answers is taken', async () => {
  const { port } = await https((_request, response) => response.end('ok'));
  const several = async () => [{ address: '127.0.0.9', family: 4 as const }, { address: '::1', family: 6 as const }, ...(await here())];
  expect(await (await door({ resolve: several })).request(call(port))).toMatchObject({ kind: 'answered', status: 200 });
});

test('a header that cannot be sent is reported, not thrown', async () => {
  expect(await (await door()).request(call(443, { headers: { 'x-bad': 'a\r\nb: c' } }))).toMatchObject({ kind: 'failed', reason: expect.stringContaining('header') });
});

test('a CA file without a certificate keeps the door from opening', async () => {
  const file = join(folder, 'empty.pem');
  await writeFile(file, 'nothing here');
  await expect(door({ caFile: file })).rejects.toThrow('holds no certificate');
});
