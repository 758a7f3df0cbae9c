import { afterEach, describe, expect, it } from 'vitest';
import { pause } from '#libs/concurrency/pause.ts';
import { type DiskMonitor, type FileSystemStats, openDiskMonitor } from './disk-monitor.ts';
import { DiskWriteError } from './disk-monitor.ts';

const mebibyte = 1024 * 1024;
const gigabyte: FileSystemStats = { bsize: 4096, blocks: 262_144, bavail: 200_000, files: 1_000, ffree: 900 };
const withFreeBytes = (bytes: number, stats = gigabyte): FileSystemStats => ({ ...stats, bavail: bytes / stats.bsize });

let disk: DiskMonitor;
afterEach(() => disk.close());

const openTestMonitor = (
  readStats: () => FileSystemStats,
  probe = (): Promise<void> => Promise.resolve(),
): DiskMonitor =>
  (disk = openDiskMonitor(['/data', '/data/blobs'], { readStats, statsMaxAgeMs: 0, probe, probeIntervalMs: 1 }));

describe('A disk', () => {
  it.each([
    ['has no problem with enough space', gigabyte, null],
    ['has no problem with just enough space', withFreeBytes(16 * mebibyte), null],
    ['has a problem with less space', withFreeBytes(16 * mebibyte - 4096), '16.0 MB are reserved'],
    [
      'that is small has no problem with a twentieth free',
      withFreeBytes(mebibyte, { ...gigabyte, blocks: 5_120 }),
      null,
    ],
    [
      'that is small has a problem with less',
      withFreeBytes(mebibyte - 4096, { ...gigabyte, blocks: 5_120 }),
      '1.0 MB are free, and the last 1.0 MB are reserved',
    ],
    ['that cannot store more files has a problem', { ...gigabyte, ffree: 3 }, '3 of 1000 are free'],
    ['that does not limit its files has no problem', { ...gigabyte, files: 0, ffree: 0 }, null],
  ])('%s', (_name, stats, problem) => {
    const missing = openTestMonitor(() => stats).missing();
    if (problem === null) expect(missing).toBeNull();
    else expect(missing).toMatch(new RegExp(`^The disk of /data .*${problem}`));
  });

  it('that cannot be read has no problem here, because its engine reports it', () => {
    expect(
      openTestMonitor(() => {
        throw new Error('ENOENT');
      }).missing(),
    ).toBeNull();
  });

  it('is not read again for a while', () => {
    let reads = 0;
    disk = openDiskMonitor(['/data'], {
      readStats: () => ((reads += 1), gigabyte),
      statsMaxAgeMs: 60_000,
      probe: async () => undefined,
      probeIntervalMs: 1,
    });
    expect([disk.missing(), disk.missing()]).toEqual([null, null]);
    expect(reads).toBe(1);
  });

  it('that could not be written has a problem until a write succeeds', async () => {
    let full = true;
    let probes = 0;
    openTestMonitor(
      () => gigabyte,
      async () => {
        probes += 1;
        if (full) throw new Error('EDQUOT: quota exceeded');
      },
    );
    const returned = disk.recordError(
      Object.assign(new Error('/data/log.db: database or disk is full'), { errcode: 13 }),
    );
    expect(returned).toBeInstanceOf(DiskWriteError);
    expect([disk.missing(), disk.isUnwritable()]).toEqual([
      expect.stringContaining('/data/log.db: database or disk is full'),
      true,
    ]);
    await expect.poll(() => probes).toBeGreaterThan(2);
    expect(disk.missing()).toBe(
      'The disk of /data cannot be written: EDQUOT: quota exceeded. The service continues automatically when it can be.',
    );
    full = false;
    await expect.poll(() => disk.missing()).toBeNull();
    expect(disk.isUnwritable()).toBe(false);
  });

  it('that is slow is probed by one write at a time', async () => {
    const fullDisk = Object.assign(new Error('test'), { code: 'ENOSPC' });
    let [running, most, probes] = [0, 0, 0];
    openTestMonitor(
      () => gigabyte,
      async () => {
        most = Math.max(most, (running += 1));
        probes += 1;
        disk.recordError(fullDisk);
        // As long as several intervals.
        await pause(10, new AbortController().signal);
        running -= 1;
        throw new Error('ENOSPC: no space left on device');
      },
    );
    disk.recordError(fullDisk);
    await expect.poll(() => probes).toBeGreaterThan(3);
    expect(most).toBe(1);
  });

  it.each([
    ['of a file that grows too large', { code: 'EFBIG' }, true],
    ['of a file system without room', { code: 'ENOSPC' }, true],
    ['of a database that cannot be written (extended)', { errcode: 778 }, true],
    ['of a damaged database', { errcode: 11 }, false],
    ['of a violated constraint', { errcode: 2067 }, false],
    ['of a file that is not there', { code: 'ENOENT' }, false],
  ])('classifies an error %s', (_name, fields, isWriteError) => {
    const error = Object.assign(new Error('test'), fields);
    const returned = openTestMonitor(() => gigabyte).recordError(error);
    expect([returned instanceof DiskWriteError, returned === error, disk.isUnwritable()]).toEqual([
      isWriteError,
      !isWriteError,
      isWriteError,
    ]);
  });
});
