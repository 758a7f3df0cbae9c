import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { readModels } from '#contracts/names.ts';
import { collectionsOf } from '#libs/projections/projection.ts';
import { renders } from '#libs/projections/renders.ts';
import type { RenderDocument } from '#libs/projections/renders.ts';
import { openMongoReadStore } from '#libs/read-store/mongodb.ts';
import { openSqliteReadStore } from '#libs/read-store/sqlite.ts';
import { searchAccount } from '#application/search/search-account.ts';
import { findRenderListPage, type RenderFilter } from '#application/renders/list-renders.ts';
import { startFerretDb } from '../support/ferretdb/server.ts';
import { printHeading } from './report.ts';

// How long a page of 20 takes out of many renders of one account, with each filter. `--count N` renders, `--mongodb`
// for MongoDB. The renders that a rare filter selects are old, so that a scan without an index would read nearly all.
// One of 50 others has failed; they are evenly made with two keys, from two templates and as two input types.

const count = Number(process.argv[process.argv.indexOf('--count') + 1]) || 1_000_000;
const chunk = 5_000;
const accountId = ulid();
const [commonKey, otherKey, rareKey, rareTemplate] = [ulid(), ulid(), ulid(), ulid()];
const commonTemplates = [ulid(), ulid()];
const start = Date.UTC(2026, 0, 1);

const documentAt = (index: number): RenderDocument => {
  const isRare = index > 1_000 && index < 1_030;
  const hasFailed = isRare || index % 50 === 0;
  const templateId = isRare ? rareTemplate : index % 4 < 2 ? commonTemplates[index % 4]! : null;
  const inputType = index % 4 === 2 ? 'html' : 'csv';
  const keyId = isRare ? rareKey : index % 8 < 4 ? commonKey : otherKey;
  const at = new Date(start + index).toISOString();
  return {
    id: ulid(start + index),
    accountId,
    keyId,
    requester: keyId,
    requestId: `req_${ulid(start + index)}`,
    traceId: index.toString(16).padStart(32, '0'),
    source: templateId ? { mode: 'RENDER', templateId, templateVersion: 1 } : { mode: 'CONVERT', inputType },
    sourceKey: templateId ?? inputType,
    status: hasFailed ? 'FAILED' : 'DONE',
    createdAt: at,
    startedAt: at,
    endedAt: at,
    durationMs: 9,
    pages: 1,
    pdf: { sha256: index.toString(16).padStart(64, '0'), size: 30_000 },
    responseMode: isRare ? 'poll' : 'wait',
    kind: isRare ? 'asynchronous' : 'synchronous',
    webhookUrl: null,
    keptUntil: null,
    templateTest: false,
    error: hasFailed ? { name: 'conversion_failed', message: 'no', extra: {} } : null,
    ...(hasFailed ? { errorCode: 'conversion_failed' } : {}),
    durations: { queueMs: 1, prepareMs: 1, waitMs: 1, loadMs: 1, printMs: 5, totalMs: 9 },
  };
};

const rare = { requester: rareKey };
const failed = { status: 'FAILED' };
const filters: Record<string, RenderFilter & { since?: string }> = {
  none: {},
  'status=FAILED': failed,
  'status=QUEUED': { status: 'QUEUED' },
  'mode=RENDER': { 'source.mode': 'RENDER' },
  'input_type=csv': { sourceKey: 'csv' },
  'input_type=xml': { sourceKey: 'xml' },
  'template_id=(rare)': { sourceKey: rareTemplate },
  'key_id=(rare)': rare,
  'error=conversion_failed': { errorCode: 'conversion_failed' },
  'asynchronous=true': { kind: 'asynchronous' },
  'asynchronous=true&status=FAILED': { kind: 'asynchronous', ...failed },
  'since=(last second)': { since: new Date(start + count - 1_000).toISOString() },
  'status=FAILED&key_id=(common)': { ...failed, requester: commonKey },
  'status=FAILED&key_id=(rare)': { ...failed, ...rare },
  'status=FAILED&template_id=(common)': { ...failed, sourceKey: commonTemplates[0]! },
  'status=FAILED&template_id=(rare)': { ...failed, sourceKey: rareTemplate },
  'status=FAILED&input_type=html': { ...failed, sourceKey: 'html' },
  'status=FAILED&mode=CONVERT': { ...failed, 'source.mode': 'CONVERT' },
  'status=DONE&key_id=(common)': { status: 'DONE', requester: commonKey },
  'key_id=(common)&template_id=(common)': { requester: commonKey, sourceKey: commonTemplates[1]! },
  'error=internal_error&key_id=(common)': { errorCode: 'internal_error', requester: commonKey },
  'key_id=(common)&template_id=(rare)': { requester: commonKey, sourceKey: rareTemplate },
  'status=DONE&key_id=(common)&input_type=xml': { status: 'DONE', requester: commonKey, sourceKey: 'xml' },
  'status=FAILED&mode=RENDER&key_id=(other)': { ...failed, 'source.mode': 'RENDER', requester: otherKey },
  'key_id=(common)&asynchronous=true': { requester: commonKey, kind: 'asynchronous' },
};

const folder = await mkdtemp(join(tmpdir(), 'colophon-pages-'));
const file = join(folder, 'read-models.db');
const isMongo = process.argv.includes('--mongodb');
const server = isMongo ? await startFerretDb() : null;
const collections = collectionsOf(renders);
const reads = server
  ? await openMongoReadStore(server.url('pages'), collections)
  : openSqliteReadStore(file, collections);

try {
  const [serving] = await reads.servingGenerations([readModels.renders]);
  const key = { collection: readModels.renders, generation: serving!.generation, position: 1 };
  const began = performance.now();
  for (let from = 0; from < count; from += chunk)
    await reads.write(
      Array.from({ length: Math.min(chunk, count - from) }, (_, index) => {
        const document = documentAt(from + index);
        return { ...key, id: document.id, document };
      }),
    );
  console.log(`${count} renders written in ${((performance.now() - began) / 1000).toFixed(0)} s`);
  printHeading(`A page of 20 of ${count} renders (${isMongo ? 'MongoDB' : 'SQLite'})`);
  const measure = async (name: string, read: () => Promise<number>): Promise<void> => {
    const times: number[] = [];
    let found = 0;
    for (let run = 0; run < 20; run += 1) {
      const before = performance.now();
      found = await read();
      times.push(performance.now() - before);
    }
    const sorted = times.toSorted((a, b) => a - b);
    const [median, slowest] = [sorted[10]!, sorted.at(-1)!].map((ms) => ms.toFixed(2).padStart(8));
    console.log(`${median} ms  slowest ${slowest} ms  ${String(found).padStart(2)} found  ${name}`);
  };
  for (const [name, { since, ...filter }] of Object.entries(filters))
    await measure(name, async () => {
      const page = { cursorPrefix: 'render' as const, limit: 20, since };
      return (await findRenderListPage(reads, accountId, filter, page)).documents.length;
    });
  const context = { reads, accountId, permissions: [], limit: 20 };
  const hexOf = (index: number, digits: number): string => index.toString(16).padStart(digits, '0');
  const texts = {
    'an id': `render_${ulid(start + count / 2).slice(0, 12)}`,
    'a trace id of the last 100,000': hexOf(count - 100_000, 32),
    'an unknown trace id': hexOf(count, 32),
    'the SHA-256 of a PDF': hexOf(1_010, 64),
    'an unknown request id': `req_${ulid(start + count / 2)}`,
  };
  for (const [name, text] of Object.entries(texts))
    await measure(`search for ${name}`, async () => (await searchAccount(context, text)).length);
} finally {
  await reads.close();
  await server?.remove();
  await rm(folder, { recursive: true, force: true });
}
