import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSqliteReadStore } from '#libs/read-store/sqlite.ts';
import { usage, usageIdOf } from './usage.ts';
import { createUsageReader } from './usage-reader.ts';

it('The usage of thousands of accounts in a month is read without that of others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-usage-'));
  const reads = openSqliteReadStore(join(folder, 'reads.db'), [{ ...usage.collection, model: usage.model }]);
  const accountIds = Array.from({ length: 2_500 }, (_, number) => `account${number}`);
  const month = '2026-05';
  const documents = [...accountIds, 'other'].flatMap((accountId, number) =>
    ['2026-04', month].map((of) => ({
      collection: usage.collection.name,
      generation: '',
      id: usageIdOf(accountId, of),
      position: 1,
      document: { accountId, month: of, used: of === month ? number : 0, lastPosition: 10 + number },
    })),
  );
  await reads.write(documents);
  const found = await createUsageReader({ head: async () => 0 }, reads).usageOfAccounts([...accountIds, 'new'], month);
  const expected = accountIds.map((id, number) => [id, { used: number, lastPosition: 10 + number }] as const);
  expect(found).toEqual(new Map(expected));
  await reads.close();
  rmSync(folder, { recursive: true });
});
