import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { openGridFsBlobStore } from '#libs/blob-store/gridfs.ts';
import { openMongoLimits } from '#libs/limits/mongodb.ts';
import { openMongoConnection } from '#libs/mongodb/connection.ts';
import { openMongoReadStore } from '#libs/read-store/mongodb.ts';
import { createUsageModel } from '../support/contract/limits-under-test.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type FerretDb, isFerretDbAvailable, startFerretDb } from '../support/ferretdb/server.ts';
import { respondAsOldServer, startIncompatibleServer } from '../support/ferretdb/incompatible-server.ts';
import { openInterruptibleProxy } from '../support/network/interruptible-proxy.ts';

// Enough to meet each trouble, and soon.
const impatient = 'serverSelectionTimeoutMS=300&connectTimeoutMS=300&heartbeatFrequencyMS=500';
const collections = [{ name: 'people', model: 'people', indexes: [['name']] }];
const ada = { collection: 'people', generation: '', id: 'a', position: 3, document: { name: 'Ada' } };

const open: { close(): unknown }[] = [];
const kept = <T extends { close(): unknown }>(one: T): T => {
  open.push(one);
  return one;
};
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

/** What a read store says is missing, once it has found out. */
const complaintAt = async (url: string): Promise<string> => {
  const reads = kept(await openMongoReadStore(url, collections));
  return waitUntil('the engine says what is missing', () => {
    const missing = reads.missing();
    return missing?.includes('has not responded yet') ? null : (missing ?? 'nothing');
  });
};

describe.runIf(isFerretDbAvailable)('A MongoDB whose indexes take their time', () => {
  it('is said to be prepared meanwhile, is not given up, and serves when they are there', async () => {
    const server = await startFerretDb();
    open.push({ close: () => server.remove() });
    const made = Promise.withResolvers<void>();
    let begun = 0;
    const prepare = async (): Promise<void> => {
      begun += 1;
      await made.promise;
    };
    const times = { checkIntervalMs: 5, silenceTimeoutMs: 20, checkTimeoutMs: 400, operationTimeoutMs: 60_000 };
    const connection = kept(openMongoConnection(server.url('x'), 'READ_STORE_URL', prepare, times));
    const counting = connection.use((db) => db.collection('people').countDocuments());
    await waitUntil('it is told of', () => connection.missing()?.includes('is being prepared'));
    for (const since = performance.now(); performance.now() - since < 5 * times.checkTimeoutMs;)
      await pause(times.checkIntervalMs);
    expect(connection.missing()).toMatch(/^MongoDB at [\d.:]+ is being prepared: indexes are being created/);
    made.resolve();
    expect([await counting, begun]).toEqual([0, 1]);
    await waitUntil('it serves', () => connection.missing() === null);
  });
});

describe('A MongoDB that does not serve is told of in a sentence that names the setting', () => {
  it('where nobody listens', async () => {
    expect(await complaintAt(`mongodb://user:hunter2@127.0.0.1:1/x?${impatient}`)).toMatch(
      /^MongoDB at 127.0.0.1:1 cannot be reached \(connect ECONNREFUSED 127.0.0.1:1\). Check READ_STORE_URL/,
    );
  });

  it('where there is no such host', async () => {
    expect(await complaintAt(`mongodb://user:hunter2@nowhere.invalid/x?${impatient}`)).toMatch(
      /nowhere.invalid cannot be reached \(getaddrinfo \w+ nowhere.invalid\)/,
    );
  });

  it('and goes on saying what it found while it looks again', async () => {
    let met = 0;
    const stranger = kept(await startIncompatibleServer((socket) => void ((met += 1), socket.destroy())));
    const times = { checkIntervalMs: 5, silenceTimeoutMs: 20, checkTimeoutMs: 5_000, operationTimeoutMs: 60_000 };
    const connection = kept(
      openMongoConnection(`mongodb://${stranger.host}/x?${impatient}`, 'READ_STORE_URL', async () => undefined, times),
    );
    await waitUntil('it is found out', () => connection.missing()?.includes('closes connections at once'));
    const since = met;
    const said = new Set<string | null>();
    await waitUntil('it has looked again and again', () => (said.add(connection.missing()), met > since + 4));
    expect([...said]).toEqual([expect.stringContaining('closes connections at once')]);
  });

  it('where the server is of too old a version', async () => {
    const old = kept(await startIncompatibleServer(respondAsOldServer));
    expect(await complaintAt(`mongodb://${old.host}/x?${impatient}`)).toMatch(
      /is too old \(.*wire version.*\). Set READ_STORE_URL to a newer server/,
    );
  });

  it('where the server wants TLS and the address does not say so', async () => {
    const server = kept(await startIncompatibleServer((socket) => void socket.once('data', () => socket.destroy())));
    expect(await complaintAt(`mongodb://${server.host}/x?${impatient}`)).toMatch(/may need TLS: set tls=true/);
  });

  it('where the address wants TLS and the server has none', async () => {
    const server = kept(await startIncompatibleServer((socket) => void socket.once('data', () => socket.end('what?'))));
    expect(await complaintAt(`mongodb://${server.host}/x?tls=true&${impatient}`)).toMatch(
      /do not agree on TLS \(wrong version number\). Check tls and tlsCAFile in READ_STORE_URL/,
    );
  });

  it('where an option is not known', async () => {
    await expect(openMongoReadStore('mongodb://user:hunter2@h/x?nonsense=1', collections)).rejects.toThrow(
      'READ_STORE_URL has a host, database or option that the MongoDB driver rejects: option nonsense is not supported',
    );
  });
});

describe.runIf(isFerretDbAvailable)('An engine on MongoDB', () => {
  const start = async (): Promise<FerretDb> => {
    const server = await startFerretDb();
    kept({ close: () => server.remove() });
    return server;
  };
  const urlOf = (server: FerretDb, credentials = ''): string => `mongodb://${credentials}${server.host}/x?${impatient}`;

  it('that refuses the password says so, without the password', async () => {
    const complaint = await complaintAt(urlOf(await start(), 'user:hunter2@'));
    expect(complaint).toMatch(/rejected the user name or password. Check READ_STORE_URL/);
    expect(complaint).not.toContain('hunter2');
  });

  it('that is absent at the start serves once it is there', async () => {
    const server = await start();
    await server.kill();
    const engines = [
      kept(await openMongoReadStore(urlOf(server), collections)),
      kept(await openGridFsBlobStore(urlOf(server))),
      kept(await openMongoLimits(urlOf(server), createUsageModel().reader)),
    ] as const;
    const [reads, blobs, limits] = engines;
    await expect(reads.checkpoint('people')).rejects.toThrow('ECONNREFUSED');
    for (const engine of engines) expect(engine.missing()).not.toBe(null);
    await server.start();
    for (const engine of engines) await waitUntil('nothing is missing', () => engine.missing() === null);
    expect(await reads.moveCheckpoints({ people: '' }, 1)).toBe(true);
    expect((await blobs.put(Buffer.from('x'))).size).toBe(1);
    expect((await limits.countRequest('a', { perMinute: 1, perMonth: null }, new Date())).rateLimit.allowed).toBe(true);
  });

  it('that goes away and comes back says so, and serves again with all it had', async () => {
    const server = await start();
    const reads = kept(await openMongoReadStore(urlOf(server), collections));
    await reads.write([ada]);
    await reads.moveCheckpoints({ people: '' }, 3);
    await waitUntil('nothing is missing', () => reads.missing() === null);
    await server.kill();
    await waitUntil('it says what is wrong', () => reads.missing()?.includes('cannot be reached'));
    await expect(reads.get('people', 'a')).rejects.toThrow();
    await server.start();
    await waitUntil('nothing is missing', () => reads.missing() === null);
    expect([await reads.get('people', 'a'), await reads.checkpoint('people')]).toEqual([{ name: 'Ada' }, 3]);
  });

  // Of a dozen drivers that look for the server as often as in production, one or two never find it again by themselves.
  it('that is killed under load is found again by all', async () => {
    const server = await start();
    const way = kept(await openInterruptibleProxy(server.url('x')));
    const all = await Promise.all(
      Array.from({ length: 12 }, async () =>
        kept(await openMongoReadStore(`${way.url}?serverSelectionTimeoutMS=1000`, collections)),
      ),
    );
    let isOver = false;
    const busy = all.map(async (reads) => {
      while (!isOver) {
        await Promise.allSettled([
          reads.get('people', 'a'),
          reads.write([ada]),
          reads.moveCheckpoints({ people: '' }, 3),
          reads.checkpoint('people'),
        ]);
        await pause(30);
      }
    });
    try {
      for (const round of [1, 2, 3]) {
        await waitUntil('nothing is missing', () => all.every((reads) => reads.missing() === null));
        await server.kill();
        await waitUntil(`somebody misses it in round ${round}`, () => all.some((reads) => reads.missing() !== null));
        await server.start();
      }
      const checkpoints = (): Promise<(number | string)[]> =>
        Promise.all(all.map((reads) => reads.checkpoint('people').catch(String)));
      const served = await waitUntil('all are served', async () => {
        const found = await checkpoints();
        return found.every((checkpoint) => typeof checkpoint === 'number') && found;
      });
      expect(served).toEqual(all.map(() => 3));
    } finally {
      isOver = true;
      await Promise.all(busy);
    }
  }, 120_000);

  it('that is frozen says that it does not answer, and what was asked is answered when it goes on', async () => {
    const server = await start();
    const reads = kept(await openMongoReadStore(urlOf(server), collections));
    await reads.moveCheckpoints({ people: '' }, 3);
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
