import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { openGridFsBlobStore } from '#libs/blob-store/gridfs.ts';
import { openMongoLimits } from '#libs/limits/mongodb.ts';
import { openMongoConnection } from '#libs/mongodb/connection.ts';
import { openMongoReadStore } from '#libs/read-store/mongodb.ts';
import { neverRebuilt } from '../support/contract/read-store-documents.ts';
import { createUsageModel } from '../support/contract/limits-under-test.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type FerretDb, isFerretDbAvailable, startFerretDb } from '../support/ferretdb/server.ts';
import { respondAsOldServer, startIncompatibleServer } from '../support/ferretdb/incompatible-server.ts';
import { openInterruptibleProxy } from '../support/network/interruptible-proxy.ts';

// Short, so that each error comes soon.
const shortTimeouts = 'serverSelectionTimeoutMS=300&connectTimeoutMS=300&heartbeatFrequencyMS=500';
const collections = [{ name: 'people', model: 'people', indexes: [['name']] }];
const ada = { collection: 'people', generation: '', id: 'a', position: 3, document: { name: 'Ada' } };

const open: { close(): unknown }[] = [];
const closedAfterTest = <T extends { close(): unknown }>(resource: T): T => {
  open.push(resource);
  return resource;
};
afterEach(async () => {
  for (const resource of open.splice(0).toReversed()) await resource.close();
});

/** What a read store reports. On a busy machine a check may time out before one finds the problem, so tests poll this. */
const openProblemReader = async (url: string): Promise<() => string | null> => {
  const reads = closedAfterTest(await openMongoReadStore(url, collections));
  return () => reads.missing();
};

describe.runIf(isFerretDbAvailable)('A MongoDB whose indexes take long to create', () => {
  it('is reported as being prepared without a timeout, and serves when they are created', async () => {
    const server = await startFerretDb();
    open.push({ close: () => server.remove() });
    const created = Promise.withResolvers<void>();
    let started = 0;
    const prepare = async (): Promise<void> => {
      started += 1;
      await created.promise;
    };
    let checks = 0;
    const countChecks = (data: Buffer): void => void (checks += data.includes('\x10ping\0') ? 1 : 0);
    const proxy = closedAfterTest(await openInterruptibleProxy(server.url('x'), countChecks));
    // A check lasts at least as long as the silence, so that the second one ends after a check's timeout.
    const times = { checkIntervalMs: 5, silenceTimeoutMs: 1_600, checkTimeoutMs: 3_000, operationTimeoutMs: 60_000 };
    const connection = closedAfterTest(openMongoConnection(proxy.url, 'READ_STORE_URL', prepare, times));
    const counting = connection.use((db) => db.collection('people').countDocuments());
    await waitUntil('it is reported', () => connection.missing()?.includes('is being prepared'));
    const before = checks;
    await waitUntil('it is checked again', () => checks > before + 1);
    expect(connection.missing()).toMatch(/^MongoDB at [\d.:]+ is being prepared: indexes are being created/);
    created.resolve();
    expect([await counting, started]).toEqual([0, 1]);
    await waitUntil('it serves', () => connection.missing() === null);
  });
});

describe('A MongoDB that cannot be used is reported in a sentence that names the setting', () => {
  it('when nothing listens at the port', async () => {
    await expect
      .poll(await openProblemReader(`mongodb://user:hunter2@127.0.0.1:1/x?${shortTimeouts}`))
      .toMatch(/^MongoDB at 127.0.0.1:1 cannot be reached \(connect ECONNREFUSED 127.0.0.1:1\). Check READ_STORE_URL/);
  });

  it('when the host does not exist', async () => {
    const reads = closedAfterTest(
      await openMongoReadStore('mongodb://user:hunter2@nowhere.invalid/x?serverSelectionTimeoutMS=1000', collections),
    );
    // The name server of the machine decides how long it takes.
    await expect
      .poll(() => reads.missing())
      .toMatch(/nowhere.invalid cannot be reached \(getaddrinfo \w+ nowhere.invalid\)/);
  });

  it('and stays reported while the connection is tried again', async () => {
    let connectionCount = 0;
    const refusing = closedAfterTest(
      await startIncompatibleServer((socket) => void ((connectionCount += 1), socket.destroy())),
    );
    const times = { checkIntervalMs: 5, silenceTimeoutMs: 20, checkTimeoutMs: 5_000, operationTimeoutMs: 60_000 };
    const connection = closedAfterTest(
      openMongoConnection(
        `mongodb://${refusing.host}/x?${shortTimeouts}`,
        'READ_STORE_URL',
        async () => undefined,
        times,
      ),
    );
    await waitUntil('it is found out', () => connection.missing()?.includes('closes connections at once'));
    const before = connectionCount;
    const reported = new Set<string | null>();
    await waitUntil(
      'it has looked again and again',
      () => (reported.add(connection.missing()), connectionCount > before + 4),
    );
    expect([...reported]).toEqual([expect.stringContaining('closes connections at once')]);
  });

  it('when the version of the server is too old', async () => {
    const old = closedAfterTest(await startIncompatibleServer(respondAsOldServer));
    await expect
      .poll(await openProblemReader(`mongodb://${old.host}/x?${shortTimeouts}`))
      .toMatch(/is too old \(.*wire version.*\). Set READ_STORE_URL to a newer server/);
  });

  it('when the server needs TLS and the URL does not ask for it', async () => {
    const server = closedAfterTest(
      await startIncompatibleServer((socket) => void socket.once('data', () => socket.destroy())),
    );
    await expect
      .poll(await openProblemReader(`mongodb://${server.host}/x?${shortTimeouts}`))
      .toMatch(/may need TLS: set tls=true/);
  });

  it('when the URL asks for TLS and the server has none', async () => {
    const server = closedAfterTest(
      await startIncompatibleServer((socket) => void socket.once('data', () => socket.end('what?'))),
    );
    await expect
      .poll(await openProblemReader(`mongodb://${server.host}/x?tls=true&${shortTimeouts}`))
      .toMatch(/do not agree on TLS \(wrong version number\). Check tls and tlsCAFile in READ_STORE_URL/);
  });

  it('when an option is unknown', async () => {
    await expect(openMongoReadStore('mongodb://user:hunter2@h/x?nonsense=1', collections)).rejects.toThrow(
      'READ_STORE_URL has a host, database or option that the MongoDB driver rejects: option nonsense is not supported',
    );
  });
});

describe.runIf(isFerretDbAvailable)('An engine on MongoDB', () => {
  const start = async (): Promise<FerretDb> => {
    const server = await startFerretDb();
    closedAfterTest({ close: () => server.remove() });
    return server;
  };
  const urlOf = (server: FerretDb, credentials = ''): string =>
    `mongodb://${credentials}${server.host}/x?${shortTimeouts}`;

  it('says that the password is wrong, without showing it', async () => {
    const problem = await openProblemReader(urlOf(await start(), 'user:hunter2@'));
    await expect.poll(problem).toMatch(/rejected the user name or password. Check READ_STORE_URL/);
    expect(problem()).not.toContain('hunter2');
  });

  it('serves once a server that was down at the start is up', async () => {
    const server = await start();
    await server.kill();
    const engines = [
      closedAfterTest(await openMongoReadStore(urlOf(server), collections)),
      closedAfterTest(await openGridFsBlobStore(urlOf(server))),
      closedAfterTest(await openMongoLimits(urlOf(server), createUsageModel().reader)),
    ] as const;
    const [reads, blobs, limits] = engines;
    await expect(reads.checkpoint('people')).rejects.toThrow('ECONNREFUSED');
    for (const engine of engines) expect(engine.missing()).not.toBe(null);
    await server.start();
    for (const engine of engines) await waitUntil('nothing is missing', () => engine.missing() === null);
    expect(await reads.moveCheckpoints({ people: neverRebuilt }, 1)).toBe(true);
    expect((await blobs.put(Buffer.from('x'))).size).toBe(1);
    expect((await limits.countRequest('a', { perMinute: 1, perMonth: null }, new Date())).rateLimit.allowed).toBe(true);
  });

  it('reports a server that is down, and serves again with all data when it is back', async () => {
    const server = await start();
    const reads = closedAfterTest(await openMongoReadStore(urlOf(server), collections));
    await reads.write([ada]);
    await reads.moveCheckpoints({ people: neverRebuilt }, 3);
    await waitUntil('nothing is missing', () => reads.missing() === null);
    await server.kill();
    await waitUntil('it says what is wrong', () => reads.missing()?.includes('cannot be reached'));
    await expect(reads.get('people', 'a')).rejects.toThrow();
    await server.start();
    await waitUntil('nothing is missing', () => reads.missing() === null);
    expect([await reads.get('people', 'a'), await reads.checkpoint('people')]).toEqual([{ name: 'Ada' }, 3]);
  });

  // With the intervals of production, one or two of a dozen driver clients never find the server again by themselves.
  it('finds a server again that was killed under load', async () => {
    const server = await start();
    const proxy = closedAfterTest(await openInterruptibleProxy(server.url('x')));
    const all = await Promise.all(
      Array.from({ length: 12 }, async () =>
        closedAfterTest(await openMongoReadStore(`${proxy.url}?serverSelectionTimeoutMS=1000`, collections)),
      ),
    );
    let isStopped = false;
    const busy = all.map(async (reads) => {
      while (!isStopped) {
        await Promise.allSettled([
          reads.get('people', 'a'),
          reads.write([ada]),
          reads.moveCheckpoints({ people: neverRebuilt }, 3),
          reads.checkpoint('people'),
        ]);
        await pause(30);
      }
    });
    try {
      for (const round of [1, 2]) {
        await waitUntil('nothing is missing', () => all.every((reads) => reads.missing() === null));
        await server.kill();
        await waitUntil(`an engine reports it in round ${round}`, () => all.some((reads) => reads.missing() !== null));
        await server.start();
      }
      const checkpoints = (): Promise<(number | string)[]> =>
        Promise.all(all.map((reads) => reads.checkpoint('people').catch(String)));
      // The server may have been killed each time before the first write.
      const served = await waitUntil('all are served', async () => {
        const found = await checkpoints();
        return found.every((checkpoint) => checkpoint === 3) && found;
      });
      expect(served).toHaveLength(12);
    } finally {
      isStopped = true;
      await Promise.all(busy);
    }
  });

  it('reports a frozen server, and completes its queries when the server continues', async () => {
    const server = await start();
    const reads = closedAfterTest(await openMongoReadStore(urlOf(server), collections));
    await reads.moveCheckpoints({ people: neverRebuilt }, 3);
    await waitUntil('nothing is missing', () => reads.missing() === null);
    server.suspend();
    const asked = reads.checkpoint('people').catch((error: unknown) => error);
    await waitUntil(
      'it says what is wrong',
      () => reads.missing()?.includes('does not respond') || reads.missing()?.includes('cannot be reached'),
    );
    server.resume();
    await waitUntil('nothing is missing', () => reads.missing() === null);
    expect([3, expect.any(Error)]).toContainEqual(await asked);
    expect(await reads.checkpoint('people')).toBe(3);
  });
});
