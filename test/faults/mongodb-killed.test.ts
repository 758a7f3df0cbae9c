import { createHash, randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openGridFsBlobStore } from '#libs/blob-store/gridfs.ts';
import { openMongoLimits } from '#libs/limits/mongodb.ts';
import type { RenderToCount } from '#libs/limits/port.ts';
import { openMongoReadStore } from '#libs/read-store/mongodb.ts';
import { usageModel } from '../contract/limits/accounts.ts';
import { startProcess } from '../contract/other-process.ts';
import { until } from '../e2e/until.ts';
import { type FerretDb, isFerretDbThere, startFerretDb } from '../ferretdb/server.ts';
import { collections, model, standing, type Step, steps } from './mongodb-counters.ts';

const impatient = 'serverSelectionTimeoutMS=1000&heartbeatFrequencyMS=500';

let server: FerretDb;
const closing: (() => Promise<void>)[] = [];
const kept = <T extends { close(): Promise<void> }>(one: T): T => {
  closing.push(() => one.close());
  return one;
};
beforeEach(async () => void (server = await startFerretDb()));
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await server.remove();
});
const url = (): string => `mongodb://${server.host}/x?${impatient}`;

/** Works until told to stop; what fails is noted and tried again in another form. */
const loop = (work: () => Promise<unknown>) => {
  let over = false;
  const done = (async () => {
    while (!over) await work().catch(() => undefined);
  })();
  return { stop: () => ((over = true), done) };
};
const killTwice = async (isTime: (round: number) => Promise<boolean> | boolean): Promise<void> => {
  for (const round of [1, 2]) {
    await until('there is something to interrupt', () => isTime(round));
    await server.kill();
    await server.start();
  }
};

describe.runIf(isFerretDbThere)('Read models on a MongoDB', () => {
  const kinds = Object.entries(steps) as [keyof typeof steps, Step][];

  it.each(kinds)('are as if every step that is %s had been taken once when the server is killed in the middle of steps of two rivals', async (_, step) => {
    const [one, other] = [kept(await openMongoReadStore(url(), collections)), kept(await openMongoReadStore(url(), collections))];
    let taken = 0;
    const loops = [one, other].map((reads) => loop(async () => void ((await step(reads)) && (taken += 1))));
    await killTwice((round) => taken > 8 * round);
    const before = taken;
    await until('steps are taken again', () => taken > before + 5);
    for (const { stop } of loops) await stop();
    await step(one);
    const { position, values, found } = await standing(one);
    expect({ values, found }).toEqual({ values: [position], found: 40 });
    expect(position).toBeGreaterThanOrEqual(taken);
  });

  it.each(kinds)('are as if every step that is %s had been taken once when writers are killed in the middle of theirs', async (kind, step) => {
    const reads = kept(await openMongoReadStore(url(), collections));
    for (const [round, count] of [3, 4, 5, 3].entries()) {
      const writer = startProcess('../faults/mongodb-counting.ts', { url: url(), kind });
      try {
        await writer.wrote(count);
        // Not right after the line: somewhere in the next step.
        const at = await reads.checkpoint(model);
        await until('the next step is under way', async () => round % 2 === 0 || (await reads.checkpoint(model)) > at);
      } finally {
        await writer.kill();
      }
      await until('somebody else goes on', () => step(reads));
      const { position, values, found } = await standing(reads);
      expect({ values, found }).toEqual({ values: [position], found: 40 });
    }
  });

  const raw = async () => {
    const client = kept(new MongoClient(server.url('x')));
    type Any = { _id: string; [field: string]: unknown };
    return { ledger: client.db().collection<Any>('documents'), counters: client.db().collection<Any>('documents.counters') };
  };
  const entry = (id: string, document: { n: number; id?: string } | null) => ({ collection: 'documents.counters', id, json: document && JSON.stringify(document), ...(document && { fields: { n: document.n } }) });

  it('are finished by the next one where a writer noted a step and was never heard of again', async () => {
    const reads = kept(await openMongoReadStore(url(), collections));
    await reads.apply(model, 0, 4, [{ collection: 'counters', id: 'a', document: { n: 1 } }]);
    const { ledger } = await raw();
    const step = { to: 7, models: [model], entries: [entry('a', null), entry('b', { n: 2 })], parts: 0 };
    await ledger.updateOne({ _id: 'ledger' }, { $set: { 'models.counters.claim': 'lost', 'journals.lost': JSON.stringify(step) } });
    expect(await reads.apply(model, 4, 9, [{ collection: 'counters', id: 'c', document: { n: 3 } }])).toBe(false);
    expect([await reads.checkpoint(model), await reads.get('counters', 'a'), await reads.get('counters', 'b'), await reads.get('counters', 'c')]).toEqual([7, null, { n: 2 }, null]);
    expect(await ledger.findOne({ _id: 'ledger' })).toMatchObject({ journals: {}, models: { counters: { position: 7, by: 'lost' } } });
  });

  it('are finished where a writer has inserted some of the new documents before it was lost, and some that are not new at all', async () => {
    const reads = kept(await openMongoReadStore(url(), collections));
    const putting = (id: string, n: number) => ({ collection: 'counters', id, document: { id, n } });
    await reads.apply(model, 0, 4, [putting('there', 1), { collection: 'counters', id: 'gone', document: null }]);
    await reads.apply('other', 0, 9, [putting('further', 9)]);
    const { ledger, counters } = await raw();
    const entries = ['inserted', 'there', 'gone', 'further', 'missing'].map((id) => entry(id, { id, n: 7 }));
    const step = { to: 7, models: [model], entries, parts: 0 };
    await counters.insertOne({ _id: 'inserted', p: 7, json: JSON.stringify({ id: 'inserted', n: 7 }), f: { id: 'inserted', n: 7 } });
    await ledger.updateOne({ _id: 'ledger' }, { $set: { 'models.counters.claim': 'lost', 'journals.lost': JSON.stringify(step) } });
    expect(await reads.apply(model, 4, 9, [])).toBe(false);
    expect(await reads.checkpoint(model)).toBe(7);
    const found = await reads.find('counters', { where: {}, limit: 10 });
    expect(Object.fromEntries(found.map(({ id, n }) => [id, n]))).toEqual({ inserted: 7, there: 7, gone: 7, missing: 7, further: 9 });
  });

  it('are not set back by a writer that comes late, not even to what was removed', async () => {
    const reads = kept(await openMongoReadStore(url(), collections));
    await reads.apply(model, 0, 4, ['kept', 'removed'].map((id) => ({ collection: 'counters', id, document: { id, n: 1 } })));
    await reads.apply(model, 4, 9, [{ collection: 'counters', id: 'kept', document: { id: 'kept', n: 2 } }, { collection: 'counters', id: 'removed', document: null }]);
    const { ledger } = await raw();
    // As a step of long ago would write, whose writer has slept through all that came after.
    const late = { to: 5, models: ['other'], entries: [entry('kept', { id: 'kept', n: 0 }), entry('removed', { id: 'removed', n: 0 }), entry('untouched', { id: 'untouched', n: 0 })], parts: 0 };
    await ledger.updateOne({ _id: 'ledger' }, { $set: { 'models.other.claim': 'late', 'journals.late': JSON.stringify(late) } });
    expect(await reads.apply('other', 0, 1, [])).toBe(false);
    expect(await reads.find('counters', { where: {}, limit: 10 })).toEqual([{ id: 'kept', n: 2 }, { id: 'untouched', n: 0 }]);
    expect(await reads.count('counters', { n: null })).toBe(0);
  });

  it('that lie together leave nothing where they lay once one of them is built anew', async () => {
    const wanted = ['counters', 'others'].map((name) => ({ name, indexes: [], together: true }));
    const reads = kept(await openMongoReadStore(url(), wanted));
    for (const name of ['counters', 'others']) await reads.apply(name, 0, 1, [{ collection: name, id: 'a', document: { name } }]);
    for (const name of ['built anew', 'built once more']) {
      const { copy, switchOver } = await reads.rebuild('counters', ['counters']);
      await copy.advance(0, 1, [{ model: 'counters', changes: [{ collection: 'counters', id: 'a', document: { name } }] }]);
      expect(await switchOver()).toBe(true);
    }
    await reads.rebuild('counters', ['counters']).then(({ copy, abandon }) => copy.advance(0, 1, [{ model: 'counters', changes: [{ collection: 'counters', id: 'a', document: {} }] }]).then(abandon));
    const place = kept(new MongoClient(server.url('x'))).db().collection('documents');
    await until('what served before is gone, and the ledger and both documents are there', async () => (await place.countDocuments()) === 3);
    expect([await reads.get('counters', 'a'), await reads.get('others', 'a')]).toEqual([{ name: 'built once more' }, { name: 'others' }]);
  });

  it('take steps of many megabytes whole, and leave nothing of them beside the documents', async () => {
    const reads = kept(await openMongoReadStore(url(), collections));
    const large = Array.from({ length: 7 }, (_, number) => ({ collection: 'counters', id: `${number}`, document: { n: number, text: randomBytes(500_000).toString('base64') } }));
    expect(await reads.apply(model, 0, 1, large)).toBe(true);
    expect(await reads.apply(model, 0, 2, large)).toBe(false);
    for (const { id, document } of large) expect(await reads.get('counters', id)).toEqual(document);
    const client = kept(new MongoClient(server.url('x')));
    expect(await client.db().collection('journal').countDocuments()).toBe(0);
  });
});

describe.runIf(isFerretDbThere)('Blobs in GridFS', () => {
  it('that were acknowledged are there, and the others whole or not at all, when the server is killed in the middle of puts', async () => {
    const blobs = kept(await openGridFsBlobStore(url()));
    const acknowledged: string[] = [];
    const tried: Buffer[] = [];
    const putting = loop(async () => {
      const bytes = randomBytes(700_000);
      tried.push(bytes);
      acknowledged.push((await blobs.put(bytes)).sha256);
    });
    await killTwice((round) => acknowledged.length >= 2 * round);
    await putting.stop();
    await until('the server serves', () => blobs.missing() === null);
    for (const sha256 of acknowledged) expect(createHash('sha256').update(await blobs.get(sha256)).digest('hex')).toBe(sha256);
    for (const bytes of tried) {
      const { sha256 } = await blobs.put(bytes);
      expect(bytes.equals(await blobs.get(sha256))).toBe(true);
    }
  });

  it('of which only chunks were written are no blobs, and are written over', async () => {
    const blobs = kept(await openGridFsBlobStore(url()));
    const bytes = randomBytes(600_000);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const client = kept(new MongoClient(server.url('x')));
    const chunks = client.db().collection<{ _id: string; files_id: string; n: number; data: Buffer }>('fs.chunks');
    await chunks.insertOne({ _id: `${sha256}/1`, files_id: sha256, n: 1, data: Buffer.from('half of it') });
    expect(await blobs.has(sha256)).toBe(false);
    await blobs.put(bytes);
    expect(bytes.equals(await blobs.get(sha256))).toBe(true);
  });
});

describe.runIf(isFerretDbThere)('Limits on a MongoDB', () => {
  it('count what was allowed, no more and no less, when the server is killed in between and what was not answered is taken back', async () => {
    const limits = kept(await openMongoLimits(url(), usageModel().reader));
    const now = new Date('2026-05-20T12:00:00.000Z');
    let number = 0;
    let allowed = 0;
    const doubtful: RenderToCount[] = [];
    const taking = Array.from({ length: 4 }, () =>
      loop(async () => {
        const render = { id: `render ${(number += 1)}`, accountId: 'a', perMonth: 1_000_000, at: now };
        doubtful.push(render);
        if ((await limits.takeRender(render)).allowed) allowed += 1;
        doubtful.splice(doubtful.indexOf(render), 1);
      }),
    );
    await killTwice((round) => allowed > 20 * round);
    for (const { stop } of taking) await stop();
    await until('the server serves', () => limits.missing() === null);
    expect(doubtful.length).toBeGreaterThan(0);
    for (const render of doubtful) await limits.settleRender(render, null);
    expect((await limits.look('a', { perMinute: null, perMonth: 1_000_000 }, now)).month.used).toBe(allowed);
  });
});
