import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openKurrentDbEventStore } from '#libs/event-store/kurrentdb.ts';
import { noStream } from '#libs/event-store/port.ts';
import { readSubscription, newEvents } from '../support/contract/new-events.ts';
import { temporaryFolder } from '../support/contract/temporary-folder.ts';
import { quickOptions, urlOf } from '../support/kurrentdb/event-stores.ts';
import { eventually } from '../support/kurrentdb/test-servers.ts';
import { startKurrentDbStandIn } from '../support/kurrentdb/server.ts';

const password = 'p:ss-w0rd';
const encoded = encodeURIComponent(password);
let tls: { key: string; cert: string };
const endings: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
    ],
  });
  tls = { key, cert };
});

afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

const start = async (settings: Parameters<typeof startKurrentDbStandIn>[0] = {}) => {
  const server = await startKurrentDbStandIn(settings);
  endings.push(server.stop);
  return server.endpoint.port;
};

/** Another server: closes connections at once, or responds like a web server. */
const startOtherServer = async (response: string | null) => {
  const other = createServer((socket) => {
    socket.on('error', () => undefined);
    if (response === null) socket.destroy();
    else socket.on('data', () => socket.end(response));
  }).listen(0, '127.0.0.1');
  await once(other, 'listening');
  endings.push(async () => void other.close());
  return (other.address() as AddressInfo).port;
};

const open = (url: string) => {
  const engine = openKurrentDbEventStore(url, quickOptions);
  endings.push(engine.close);
  return engine;
};

const authorityFile = async (): Promise<string> => {
  const { folder, remove } = await temporaryFolder();
  endings.push(remove);
  await writeFile(join(folder, 'ca.pem'), tls.cert);
  return encodeURIComponent(join(folder, 'ca.pem'));
};

describe('A KurrentDB that is not available is reported in one sentence', () => {
  it.each([
    [
      'with another password',
      () => start({ tls, credentials: `admin:${password}` }),
      (port: number) => `kurrentdb://admin:wr0ng-secret@localhost:${port}?tlsVerifyCert=false`,
      'rejected the user name or password in EVENT_STORE_URL',
    ],
    [
      'that asks for credentials',
      () => start({ tls, credentials: `admin:${password}` }),
      (port: number) => `kurrentdb://localhost:${port}?tlsVerifyCert=false`,
      'rejected the user name or password in EVENT_STORE_URL',
    ],
    [
      'whose certificate is not trusted',
      () => start({ tls }),
      (port: number) => `kurrentdb://admin:${encoded}@localhost:${port}`,
      'set tlsCAFile in EVENT_STORE_URL to the file of its CA',
    ],
    [
      'without TLS',
      () => start(),
      (port: number) => `kurrentdb://admin:${encoded}@localhost:${port}`,
      'add tls=false to EVENT_STORE_URL',
    ],
    [
      'with TLS only',
      () => start({ tls }),
      (port: number) => `kurrentdb://admin:${encoded}@localhost:${port}?tls=false`,
      'remove tls=false from EVENT_STORE_URL',
    ],
    [
      'behind a proxy that closes connections',
      () => startOtherServer(null),
      (port: number) => `kurrentdb://localhost:${port}?tls=false`,
      'closes connections at once: check whether KurrentDB is running',
    ],
    [
      'behind a proxy that closes TLS connections',
      () => startOtherServer(null),
      (port: number) => `kurrentdb://localhost:${port}`,
      'closes connections at once: check whether KurrentDB is running',
    ],
    [
      'that is another server',
      () => startOtherServer('HTTP/1.1 400 Bad Request\r\n\r\n'),
      (port: number) => `kurrentdb://localhost:${port}?tls=false`,
      'is not KurrentDB',
    ],
    [
      'with TLS and an IP address',
      () => start({ tls }),
      (port: number) => `kurrentdb://127.0.0.1:${port}`,
      'must have the host name of the server, not its IP address',
    ],
    [
      'whose host has no address',
      () => start(),
      (port: number) => `kurrentdb://nowhere.invalid:${port}?tls=false`,
      'cannot be resolved',
    ],
    [
      'that is too old',
      () => start({ version: '21.10.9' }),
      urlOf,
      'has version 21.10.9, but 22.6 or later is required',
    ],
    ['that is too old to report its version', () => start({ version: null }), urlOf, 'has version unknown'],
    [
      'whose cluster has no available member',
      () => start({ tls }),
      (port: number) => `kurrentdb+discover://127.0.0.1:${port}?tls=false&maxDiscoverAttempts=2&discoveryInterval=10`,
      'No member of a KurrentDB cluster responds',
    ],
  ])('%s', async (_what, server, urlFor, sentence) => {
    const engine = open(urlFor(await server()));
    await eventually(() => engine.missing()).toContain(sentence);
    expect(engine.missing()).not.toMatch(/p:ss-w0rd|p%3Ass|wr0ng-secret/);
  });

  it('without the password in errors of operations', async () => {
    const engine = open(
      `kurrentdb://admin:wr0ng-secret@localhost:${await start({ tls, credentials: `admin:${password}` })}?tlsVerifyCert=false`,
    );
    const failures = await Promise.allSettled([
      engine.append('render-1', newEvents(1), noStream),
      engine.read('render-1'),
      engine.head(),
    ]);
    expect(failures.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    for (const failure of failures)
      expect(failure.status === 'rejected' ? String(failure.reason.stack) : '').not.toContain('wr0ng-secret');
  });
});

describe('A KurrentDB behind TLS and a password', () => {
  it.each(['kurrentdb', 'esdb'])('works with both, as %s://', async (scheme) => {
    const port = await start({ tls, credentials: `admin:${password}` });
    const engine = open(`${scheme}://admin:${encoded}@localhost:${port}?tlsCAFile=${await authorityFile()}`);
    const { position } = await engine.append('render-1', newEvents(1), noStream);
    expect(await engine.head()).toBe(position);
    expect(await readSubscription(engine, 0, 1)).toHaveLength(1);
    await eventually(() => engine.missing()).toBeNull();
  });

  it('works as soon as it accepts the credentials', async () => {
    const port = await start({ tls, credentials: `admin:${password}` });
    const engine = open(`kurrentdb://admin:wr0ng-secret@localhost:${port}?tlsVerifyCert=false`);
    await eventually(() => engine.missing()).toContain('rejected');
    for (const end of endings.splice(0, 1)) await end();
    await start({ tls, port, credentials: 'admin:wr0ng-secret' });
    await eventually(() => engine.missing()).toBeNull();
    expect(await engine.head()).toBe(0);
  });
});
