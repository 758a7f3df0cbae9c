import { createHash, randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openGridFsBlobStore } from '#libs/blob-store/gridfs.ts';
import { openMongoLimits } from '#libs/limits/mongodb.ts';
import type { CountedRender } from '#libs/limits/port.ts';
import { openMongoReadStore } from '#libs/read-store/mongodb.ts';
import { createUsageModel } from '../support/contract/limits-under-test.ts';
import { startProgram } from '../support/processes/other-process.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type FerretDb, isFerretDbAvailable, startFerretDb } from '../support/ferretdb/server.ts';
import {
  counterCollections,
  readCounters,
  counterModel,
  projectNextEvent,
} from '../support/read-store/counter-projection.ts';

const shortTimeouts = 'serverSelectionTimeoutMS=1000&heartbeatFrequencyMS=500';

let server: FerretDb;
const closing: (() => Promise<void>)[] = [];
const closedAfterTest = <T extends { close(): Promise<void> }>(resource: T): T => {
  closing.push(() => resource.close());
  return resource;
};
beforeEach(async () => void (server = await startFerretDb()));
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await server.remove();
});
const url = (): string => `mongodb://${server.host}/x?${shortTimeouts}`;

/** Repeats the work until it is stopped, also after errors. */
const repeat = (work: () => Promise<unknown>) => {
  let stopped = false;
  const done = (async () => {
    while (!stopped) await work().catch(() => undefined);
  })();
  return { stop: () => ((stopped = true), done) };
};
const killTwice = async (isTime: (round: number) => Promise<boolean> | boolean): Promise<void> => {
  for (const round of [1, 2]) {
    await waitUntil('enough work is done', () => isTime(round));
    await server.kill();
    await server.start();
  }
};

describe.runIf(isFerretDbAvailable)('Read models on a MongoDB', () => {
  it('contain every event once when the server is killed while two projectors write', async () => {
    const [first, second] = [
      closedAfterTest(await openMongoReadStore(url(), counterCollections)),
      closedAfterTest(await openMongoReadStore(url(), counterCollections)),
    ];
    let projected = 0;
    const loops = [first, second].map((reads) =>
      repeat(async () => {
        await projectNextEvent(reads);
        projected += 1;
      }),
    );
    await killTwice((round) => projected > 8 * round);
    const before = projected;
    await waitUntil('events are projected again', () => projected > before + 5);
    for (const { stop } of loops) await stop();
    await projectNextEvent(first);
    const { position, values, found } = await readCounters(first);
    expect({ values, found }).toEqual({ values: [position], found: 40 });
  });

  it('contain every event once when projectors are killed while they write', async () => {
    const reads = closedAfterTest(await openMongoReadStore(url(), counterCollections));
    for (const [round, count] of [3, 4].entries()) {
      const writer = startProgram('../programs/project-counters.ts', { url: url() });
      try {
        await writer.waitForLines(count);
        // In the middle of the next event, not right after the line.
        const at = await reads.checkpoint(counterModel);
        await waitUntil(
          'the next event is being projected',
          async () => round % 2 === 0 || (await reads.checkpoint(counterModel)) > at,
        );
      } finally {
        await writer.kill();
      }
      await projectNextEvent(reads);
      const { position, values, found } = await readCounters(reads);
      expect({ values, found }).toEqual({ values: [position], found: 40 });
    }
  });
});

describe.runIf(isFerretDbAvailable)('Blobs in GridFS', () => {
  it('are stored when they were acknowledged, and the others whole or not at all, when the server is killed', async () => {
    const blobs = closedAfterTest(await openGridFsBlobStore(url()));
    const acknowledged: string[] = [];
    const tried: Buffer[] = [];
    const putting = repeat(async () => {
      const bytes = randomBytes(700_000);
      tried.push(bytes);
      acknowledged.push((await blobs.put(bytes)).sha256);
    });
    await killTwice((round) => acknowledged.length >= 2 * round);
    await putting.stop();
    await waitUntil('the server serves', () => blobs.missing() === null);
    for (const sha256 of acknowledged)
      expect(
        createHash('sha256')
          .update(await blobs.get(sha256))
          .digest('hex'),
      ).toBe(sha256);
    for (const bytes of tried) {
      const { sha256 } = await blobs.put(bytes);
      expect(bytes.equals(await blobs.get(sha256))).toBe(true);
    }
  });

  it('do not exist when only chunks of them were written, and can be written again', async () => {
    const blobs = closedAfterTest(await openGridFsBlobStore(url()));
    const bytes = randomBytes(600_000);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const client = closedAfterTest(new MongoClient(server.url('x')));
    const chunks = client.db().collection<{ _id: string; files_id: string; n: number; data: Buffer }>('fs.chunks');
    await chunks.insertOne({ _id: `${sha256}/1`, files_id: sha256, n: 1, data: Buffer.from('half of it') });
    expect(await blobs.has(sha256)).toBe(false);
    await blobs.put(bytes);
    expect(bytes.equals(await blobs.get(sha256))).toBe(true);
  });
});

describe.runIf(isFerretDbAvailable)('Limits on a MongoDB', () => {
  it('count exactly the allowed renders when the server is killed and unanswered ones are released', async () => {
    const limits = closedAfterTest(await openMongoLimits(url(), createUsageModel().reader));
    const now = new Date('2026-05-20T12:00:00.000Z');
    let number = 0;
    let allowed = 0;
    const unanswered: CountedRender[] = [];
    const counting = Array.from({ length: 4 }, () =>
      repeat(async () => {
        const render = { id: `render ${(number += 1)}`, accountId: 'a', perMonth: 1_000_000, at: now };
        unanswered.push(render);
        if ((await limits.countRender(render)).allowed) allowed += 1;
        unanswered.splice(unanswered.indexOf(render), 1);
      }),
    );
    await killTwice((round) => allowed > 20 * round);
    for (const { stop } of counting) await stop();
    await waitUntil('the server serves', () => limits.missing() === null);
    expect(unanswered.length).toBeGreaterThan(0);
    for (const render of unanswered) await limits.confirmOrReleaseRender(render, null);
    expect((await limits.readStatus('a', { perMinute: null, perMonth: 1_000_000 }, now)).quota.used).toBe(allowed);
  });
});
