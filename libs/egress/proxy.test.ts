import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { openEgress, type Egress, type EgressSettings } from './door.ts';
import { httpServer, rawServer, type Listening } from './fixtures/listening.ts';
import { privateOctets, spellingOf } from './fixtures/spellings.ts';
import { askThrough, sayThrough, tunnelThrough } from './fixtures/through.ts';

const here = async () => [{ address: '127.0.0.1', family: 4 as const }];

let open: { close: () => Promise<void> }[] = [];
let refusals: Record<string, unknown>[] = [];

afterEach(async () => {
  await Promise.all(open.map(({ close }) => close()));
  open = [];
  refusals = [];
});

const kept = async <T extends { close: () => Promise<void> }>(opening: Promise<T>): Promise<T> => {
  const opened = await opening;
  open.push(opened);
  return opened;
};

const door = (settings: Partial<EgressSettings> = {}): Promise<Egress> =>
  kept(openEgress({ allow: ['open.test'], resolve: here, log: { warn: (fields) => void refusals.push(fields) }, ...settings }));

const http = (handle: RequestListener): Promise<Listening> => kept(httpServer(handle));
const at = ({ port }: Listening, path = '/', host = 'open.test') => `http://${host}:${port}${path}`;

describe('a plain http request', () => {
  test('goes to the host of its URL, and the answer comes back whole', async () => {
    let seen: IncomingMessage | undefined;
    const site = await http((request, response) => {
      seen = request;
      response.writeHead(203, { 'content-type': 'image/png', 'set-cookie': ['a=1', 'b=2'], etag: '"ä"' }).end('picture');
    });
    const { proxyUrl } = await door();
    const answer = await askThrough(proxyUrl, at(site, '/a.png?size=2'), { headers: { accept: 'image/*', cookie: 'c=d' } });
    expect(answer).toMatchObject({ status: 203, body: 'picture', headers: { 'content-type': 'image/png', 'set-cookie': ['a=1', 'b=2'], etag: '"ä"' } });
    expect(seen).toMatchObject({ method: 'GET', url: '/a.png?size=2', headers: { host: `open.test:${site.port}`, accept: 'image/*', cookie: 'c=d' } });
  });

  test('carries its body', async () => {
    const site = await http(async (request, response) => response.end(`${request.method} ${await text(request)}`));
    const { proxyUrl } = await door();
    expect(await askThrough(proxyUrl, at(site), { method: 'POST', body: 'form=data' })).toMatchObject({ body: 'POST form=data' });
    expect(await askThrough(proxyUrl, at(site), { method: 'POST', body: 'chunks', headers: { 'transfer-encoding': 'chunked' } })).toMatchObject({ body: 'POST chunks' });
  });

  test('leaves behind what is meant for the proxy alone', async () => {
    let seen: IncomingMessage['headers'] = {};
    const site = await http((request, response) => {
      seen = request.headers;
      response.writeHead(200, { connection: 'x-hop, close', 'x-hop': 'gone', 'proxy-authenticate': 'Basic', 'x-kept': 'yes' }).end();
    });
    const { proxyUrl } = await door();
    const { headers } = await askThrough(proxyUrl, at(site), {
      headers: { 'proxy-authorization': 'Basic c2VjcmV0', 'proxy-connection': 'keep-alive', connection: 'x-mine', 'x-mine': 'gone', te: 'trailers', upgrade: 'h2c', 'x-other': 'kept' },
    });
    expect(seen).toMatchObject({ 'x-other': 'kept' });
    expect(Object.keys(seen)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(proxy-.*|x-mine|te|upgrade)$/)]));
    expect(headers).toMatchObject({ 'x-kept': 'yes' });
    expect(headers).not.toHaveProperty('x-hop');
    expect(headers).not.toHaveProperty('proxy-authenticate');
  });

  test('gets a redirect as it is, and the next hop is judged anew', async () => {
    const inside = await http((_request, response) => response.end('inside'));
    const site = await http((_request, response) => response.writeHead(302, { location: at(inside, '/', '127.0.0.1') }).end());
    const { proxyUrl } = await door();
    const { status, headers } = await askThrough(proxyUrl, at(site));
    expect(status).toBe(302);
    expect(await askThrough(proxyUrl, String(headers['location']))).toMatchObject({ status: 403 });
    expect(inside.connections()).toBe(0);
  });

  test('whose host fails is answered with 502, whose host is silent with 504', async () => {
    const gone = await http(() => {});
    await gone.close();
    const silent = await http(() => {});
    const { proxyUrl } = await door({ limits: { idleMs: 200 } });
    expect(await askThrough(proxyUrl, at(gone))).toMatchObject({ status: 502, body: `open.test refused the connection at port ${gone.port}.\n` });
    expect(await askThrough(proxyUrl, at(silent))).toMatchObject({ status: 504, body: 'open.test did not answer in time.\n' });
  });

  test('that the browser gives up is given up towards the host', async () => {
    const site = await http(() => {});
    const { proxyUrl } = await door();
    const browser = new AbortController();
    const asking = askThrough(proxyUrl, at(site), { signal: browser.signal });
    await expect.poll(site.openNow).toBe(1);
    browser.abort();
    await expect(asking).rejects.toThrow();
    await expect.poll(site.openNow).toBe(0);
  });

  test('for https is refused, since TLS belongs to the browser', async () => {
    const site = await http(() => {});
    const { proxyUrl } = await door();
    expect(await askThrough(proxyUrl, `https://open.test:${site.port}/`)).toMatchObject({ status: 403, body: expect.stringContaining('CONNECT') });
    expect(site.connections()).toBe(0);
  });
});

describe('an answer that is too large', () => {
  test('is refused at once where it says so itself', async () => {
    const site = await http((_request, response) => response.writeHead(200, { 'content-length': 5000 }).end('x'.repeat(5000)));
    const { proxyUrl } = await door({ limits: { responseBytes: 1000 } });
    expect(await askThrough(proxyUrl, at(site))).toMatchObject({ status: 403, headers: { 'x-colophon-refused': 'response-too-large' } });
  });

  test('is cut off where it grows, and logged with its host', async () => {
    const site = await http((_request, response) => {
      response.write('x'.repeat(5000));
      response.end();
    });
    const { proxyUrl } = await door({ limits: { responseBytes: 1000 } });
    await expect(askThrough(proxyUrl, at(site))).rejects.toThrow();
    expect(refusals).toEqual([{ way: 'browser', refused: 'response-too-large', host: 'open.test', port: site.port }]);
  });
});

describe('what is not public', () => {
  test('is refused with a reason, and never connected to', async () => {
    const inside = await http((_request, response) => response.end('inside'));
    const { proxyUrl } = await door({ allow: [] });
    const answer = await askThrough(proxyUrl, at(inside, '/?token=secret', 'rebinding.test'));
    expect(answer).toMatchObject({ status: 403, headers: { 'x-colophon-refused': 'address-not-public' }, body: 'rebinding.test resolves to an address that is not public.\n' });
    const { head } = await tunnelThrough(proxyUrl, `127.0.0.1:${inside.port}`);
    expect(head).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n(.*\r\n)*x-colophon-refused: address-not-public\r\n/);
    expect(head).toMatch(/\r\n\r\n127\.0\.0\.1 is not a public address\.\n$/);
    expect(inside.connections()).toBe(0);
    expect(refusals).toEqual([
      { way: 'browser', refused: 'address-not-public', host: 'rebinding.test', port: inside.port, address: '127.0.0.1', range: 'loopback' },
      { way: 'browser', refused: 'address-not-public', host: '127.0.0.1', port: inside.port, address: '127.0.0.1', range: 'loopback' },
    ]);
  });

  test('is refused in every spelling, as a request and as a tunnel', async () => {
    const { proxyUrl } = await door({ allow: [] });
    await fc.assert(
      fc.asyncProperty(privateOctets.chain(spellingOf), async (spelling) => {
        // The bytes go out as they are, as a forged request would carry them.
        const plain = await sayThrough(proxyUrl, `GET http://${encodeURI(spelling)}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
        const tunnel = await sayThrough(proxyUrl, `CONNECT ${encodeURI(spelling)}:443 HTTP/1.1\r\nHost: x\r\n\r\n`);
        expect([plain, tunnel].map((answer) => answer.slice(0, 12))).toEqual(['HTTP/1.1 403', 'HTTP/1.1 403']);
      }),
      { numRuns: 60 },
    );
  });

  test.each(['GET /path', 'GET https://open.test/', 'GET ftp://open.test/', 'GET http://user:pw@open.test/', 'GET http://open.test:25/x', 'OPTIONS *', 'CONNECT open.test', 'CONNECT open.test:443/x'])(
    'nor is %s let through',
    async (line) => {
      const { proxyUrl } = await door({ allow: [] });
      expect(await sayThrough(proxyUrl, `${line} HTTP/1.1\r\nHost: open.test\r\nConnection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 40[03] /);
    },
  );

  test('includes the door itself, even where the operator has opened loopback', async () => {
    const { proxyUrl } = await door({ allow: ['127.0.0.0/8', 'open.test', '::1'] });
    const { port } = new URL(proxyUrl);
    expect(await askThrough(proxyUrl, proxyUrl)).toMatchObject({ status: 403 });
    expect(await askThrough(proxyUrl, `http://open.test:${port}/`)).toMatchObject({ status: 403 });
    expect((await tunnelThrough(proxyUrl, `[::ffff:127.0.0.1]:${port}`)).head).toContain(' 403 ');
  });
});

describe('a request that two parsers could read in two ways', () => {
  test.each([
    ['two lengths', 'Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd'],
    ['a length and chunks', 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['an odd transfer encoding', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
    ['a bare line feed', 'X: a\nY: b\r\n\r\n'],
    ['a blank before the colon', 'Content-Length : 3\r\n\r\nabc'],
    ['a folded header', 'X: a\r\n b\r\nTransfer-Encoding\r\n : chunked\r\n\r\n'],
    ['too large a head', `X: ${'y'.repeat(40_000)}\r\n\r\n`],
  ])('is refused: %s', async (_name, rest) => {
    const site = await http((_request, response) => response.end());
    const { proxyUrl } = await door();
    expect(await sayThrough(proxyUrl, `POST ${at(site)} HTTP/1.1\r\nHost: open.test\r\nConnection: close\r\n${rest}`)).toMatch(/^HTTP\/1\.1 4/);
    expect(site.connections()).toBe(0);
  });

  test('and an answer of two lengths does not reach the browser', async () => {
    const site = await kept(rawServer((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n')));
    const { proxyUrl } = await door();
    expect(await askThrough(proxyUrl, at(site))).toMatchObject({ status: 502 });
  });
});

describe('a tunnel', () => {
  const echo = () => kept(rawServer((socket) => socket.pipe(socket)));
  const heard = async (socket: Socket) => String((await once(socket, 'data'))[0]);

  test('carries bytes both ways, and closes with either side', async () => {
    const site = await echo();
    const { proxyUrl } = await door();
    const { head, socket } = await tunnelThrough(proxyUrl, `open.test:${site.port}`);
    expect(head).toBe('HTTP/1.1 200 Connection Established\r\n\r\n');
    socket.write('hello');
    expect(await heard(socket)).toBe('hello');
    await site.close();
    await once(socket, 'close');
  });

  test('is closed towards the host when the browser leaves, even while it is being made', async () => {
    const site = await echo();
    const { promise: resolved, resolve } = Promise.withResolvers<void>();
    const { proxyUrl } = await door({ resolve: () => resolved.then(here) });
    const standing = await tunnelThrough((await door()).proxyUrl, `open.test:${site.port}`);
    standing.socket.destroy();
    await expect.poll(site.openNow).toBe(0);

    const early = connect(Number(new URL(proxyUrl).port), '127.0.0.1');
    await new Promise((sent) => early.write(`CONNECT open.test:${site.port} HTTP/1.1\r\nHost: x\r\n\r\n`, sent));
    early.destroy();
    resolve();
    await expect.poll(site.connections).toBe(2);
    await expect.poll(site.openNow).toBe(0);
  });

  test('takes what the browser sends together with its request', async () => {
    const site = await echo();
    const { proxyUrl } = await door();
    const words = sayThrough(proxyUrl, `CONNECT open.test:${site.port} HTTP/1.1\r\nHost: x\r\n\r\nearly`);
    await expect.poll(site.connections).toBe(1);
    await expect.poll(async () => Promise.race([words, 'waiting'])).toBe('waiting');
    await site.close();
    expect(await words).toMatch(/\r\n\r\nearly$/);
  });

  test('that nobody uses is closed', async () => {
    const site = await echo();
    const { proxyUrl } = await door({ limits: { idleMs: 100 } });
    const { socket } = await tunnelThrough(proxyUrl, `open.test:${site.port}`);
    await once(socket, 'close');
  });

  test('that brings too many bytes back is cut off without a word into it, and logged', async () => {
    const site = await kept(rawServer((socket) => socket.write('x'.repeat(200_000))));
    const { proxyUrl } = await door({ limits: { tunnelBytes: 100_000 } });
    const { socket } = await tunnelThrough(proxyUrl, `open.test:${site.port}`);
    const rest = await text(socket).catch(() => '');
    expect(rest).not.toContain('HTTP/1.1');
    await expect.poll(() => refusals).toEqual([{ way: 'browser', refused: 'response-too-large', host: 'open.test', port: site.port }]);
  });

  test('beyond the limit for its host is refused, until another has closed', async () => {
    const site = await echo();
    const { proxyUrl } = await door({ limits: { connectionsPerHost: 2 } });
    const tunnel = () => tunnelThrough(proxyUrl, `open.test:${site.port}`);
    const [first] = await Promise.all([tunnel(), tunnel()]);
    expect((await tunnel()).head).toContain('x-colophon-refused: too-many-connections');
    first?.socket.destroy();
    await expect.poll(async () => (await tunnel()).head).toContain(' 200 ');
  });

  test('to a host that fails is answered with 502, to a silent one with 504', async () => {
    const gone = await echo();
    await gone.close();
    const { proxyUrl } = await door();
    expect((await tunnelThrough(proxyUrl, `open.test:${gone.port}`)).head).toMatch(/^HTTP\/1\.1 502 /);
    const deaf = await door({ resolve: () => new Promise<never>(() => {}), limits: { lookupMs: 100 } });
    expect((await tunnelThrough(deaf.proxyUrl, 'open.test:443')).head).toMatch(/^HTTP\/1\.1 504 /);
  });
});

test('more connections from browsers than the door takes are closed at once', async () => {
  const { proxyUrl } = await door({ limits: { connections: 2 } });
  const site = await kept(rawServer((socket) => socket.pipe(socket)));
  const tunnel = () => tunnelThrough(proxyUrl, `open.test:${site.port}`);
  await Promise.all([tunnel(), tunnel()]);
  expect(await sayThrough(proxyUrl, '').catch(() => '')).toBe('');
  expect(site.connections()).toBe(2);
});

test('closing the door ends what is under way', async () => {
  const site = await http(() => {});
  const egress = await door();
  const { socket } = await tunnelThrough(egress.proxyUrl, `open.test:${site.port}`);
  const asking = askThrough(egress.proxyUrl, at(site)).catch(() => 'cut off');
  await expect.poll(site.connections).toBe(2);
  await Promise.all([egress.close(), once(socket, 'close')]);
  expect(await asking).toBe('cut off');
  open.pop();
});
