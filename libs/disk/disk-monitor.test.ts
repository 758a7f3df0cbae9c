import { afterEach, describe, expect, it } from 'vitest';
import { type DiskMonitor, type FileSystemStats, openDiskMonitor } from './disk-monitor.ts';
import { DiskWriteError } from './disk-monitor.ts';

const mebibyte = 1024 * 1024;
const gigabyte: FileSystemStats = { bsize: 4096, blocks: 262_144, bavail: 200_000, files: 1_000, ffree: 900 };
const withFreeBytes = (bytes: number, of = gigabyte): FileSystemStats => ({ ...of, bavail: bytes / of.bsize });

let disk: DiskMonitor;
afterEach(() => disk.close());

const openTestMonitor = (look: () => FileSystemStats, probe = (): Promise<void> => Promise.resolve()): DiskMonitor =>
  (disk = openDiskMonitor(['/data', '/data/blobs'], { readStats: look, probe, probeIntervalMs: 1 }));

describe('A disk', () => {
  it.each([
    ['with room', gigabyte, null],
    ['with just enough room', withFreeBytes(16 * mebibyte), null],
    ['with less', withFreeBytes(16 * mebibyte - 4096), '16.0 MB are kept'],
    ['that is small, with a twentieth of it', withFreeBytes(mebibyte, { ...gigabyte, blocks: 5_120 }), null],
    [
      'that is small, with less',
      withFreeBytes(mebibyte - 4096, { ...gigabyte, blocks: 5_120 }),
      '1.0 MB are free, and the last 1.0 MB are kept',
    ],
    ['that takes no more files', { ...gigabyte, ffree: 3 }, '3 of 1000 are free'],
    ['that does not count its files', { ...gigabyte, files: 0, ffree: 0 }, null],
  ])('%s', (_what, seen, sentence) => {
    const missing = openTestMonitor(() => seen).missing();
    if (sentence === null) expect(missing).toBeNull();
    else expect(missing).toMatch(new RegExp(`^The disk of /data .*${sentence}`));
  });

  it('that cannot be looked at is taken for one with room: its engine tells what is wrong', () => {
    expect(
      openTestMonitor(() => {
        throw new Error('ENOENT');
      }).missing(),
    ).toBeNull();
  });

  it('that has refused to be written is missing until it takes something again', async () => {
    let full = true;
    let probes = 0;
    openTestMonitor(
      () => gigabyte,
      async () => {
        probes += 1;
        if (full) throw new Error('EDQUOT: quota exceeded');
      },
    );
    const raised = disk.recordError(
      Object.assign(new Error('/data/log.db: database or disk is full'), { errcode: 13 }),
    );
    expect(raised).toBeInstanceOf(DiskWriteError);
    expect([disk.missing(), disk.isUnwritable()]).toEqual([
      expect.stringContaining('/data/log.db: database or disk is full'),
      true,
    ]);
    await expect.poll(() => probes).toBeGreaterThan(2);
    expect(disk.missing()).toBe(
      'The disk of /data refuses to be written: EDQUOT: quota exceeded. The service goes on by itself once it can be.',
    );
    full = false;
    await expect.poll(() => disk.missing()).toBeNull();
    expect(disk.isUnwritable()).toBe(false);
  });

  it.each([
    ['of a file that grows too large', { code: 'EFBIG' }, true],
    ['of a file system without room', { code: 'ENOSPC' }, true],
    ['of a database that cannot be written (extended)', { errcode: 778 }, true],
    ['of a damaged database', { errcode: 11 }, false],
    ['of a broken rule', { errcode: 2067 }, false],
    ['of a file that is not there', { code: 'ENOENT' }, false],
  ])('tells an error %s', (_what, fields, refused) => {
    const error = Object.assign(new Error('told'), fields);
    const raised = openTestMonitor(() => gigabyte).recordError(error);
    expect([raised instanceof DiskWriteError, raised === error, disk.isUnwritable()]).toEqual([
      refused,
      !refused,
      refused,
    ]);
  });
});
