import { execFileSync } from 'node:child_process';
import { hash, randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { openSqliteEventStore } from '#libs/event-store/sqlite.ts';
import { waitUntil } from '../wait-until.ts';

/**
 * Deletes small blobs while the database file cannot grow, but the write-ahead log can. Writes one line for each thing
 * that happened.
 */

const { file } = JSON.parse(process.argv[2]!) as { file: string };
const { smallBlobs, close } = openSqliteEventStore(file, { truncateEveryMs: 5 });
// Without a listener SIGXFSZ ends Node; with one, a write beyond the limit fails with EFBIG.
process.on('SIGXFSZ', () => undefined);

const limitFileSize = (bytes: number | 'unlimited'): void =>
  void execFileSync('prlimit', [`--pid=${process.pid}`, `--fsize=${bytes}:`]);
const put = async (): Promise<string> => {
  const bytes = randomBytes(10_000);
  const sha256 = hash('sha256', bytes, 'hex');
  await smallBlobs.write(sha256, bytes);
  return sha256;
};
const isDeleted = (sha256: string): Promise<boolean> =>
  smallBlobs.delete(sha256).then(
    () => true,
    () => false,
  );
const waitUntilEmptied = (): Promise<boolean> =>
  waitUntil('the write-ahead log is empty', () => statSync(`${file}-wal`).size === 0);

const stored: string[] = [];
for (let n = 0; n < 200; n += 1) stored.push(await put());
await waitUntilEmptied();

// Less than the database file has, and more than 30 deletions add to the write-ahead log.
limitFileSize(1_600_000);
await put();
const refused = await waitUntil('a deletion fails', async () => {
  const sha256 = stored.pop()!;
  if (stored.length < 170) throw new Error('no deletion failed');
  return !(await isDeleted(sha256)) && sha256;
});
console.log(
  smallBlobs.read(refused) ? 'a deletion failed, and its blob is still there' : 'a deletion that failed did delete',
);
await put();
console.log('a blob was stored meanwhile');

limitFileSize('unlimited');
await waitUntil('the deletion succeeds', () => isDeleted(refused));
await waitUntilEmptied();
console.log('it succeeded later, and the write-ahead log is empty');
await close();
