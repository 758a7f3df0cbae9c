import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SettingsError } from '#libs/config/settings.ts';
import { openFileBlobStore } from '#libs/blob-store/file.ts';
import { type UserIdentity, storedPathsOf, restrictPermissions } from './file-permissions.ts';

type Entries = Record<string, number>;

/** A folder with this mode, with files (or folders, if the name ends in a slash) with these modes. */
const folderWith = (mode: number, entries: Entries): string => {
  const folder = mkdtempSync(join(tmpdir(), 'file-permissions-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, own] of Object.entries(entries)) {
    const path = join(folder, name);
    if (name.endsWith('/')) mkdirSync(path);
    else writeFileSync(path, '');
    chmodSync(path, own);
  }
  chmodSync(folder, mode);
  return folder;
};

const modeOf = (...path: string[]): string => (statSync(join(...path)).mode & 0o7777).toString(8);
const inFolder = (folder: string) => ({ folders: [folder], databases: [] });
const [uid, gid] = [process.getuid!(), process.getgid!()];
const owner: UserIdentity = { uid, gids: [gid] };
const otherUser: UserIdentity = { uid: 4_000_001, gids: [4_000_002] };
const groupMember: UserIdentity = { uid: 4_000_001, gids: [4_000_002, gid] };

test.each([0o755, 0o777])('A blob store outside the data folder with mode %i is restricted', async (mode) => {
  const folder = folderWith(0o700, {});
  const blobs = await openFileBlobStore(folder);
  await blobs.setInstallationId('installation');
  await blobs.put(Buffer.from('input'));
  await blobs.close();
  chmodSync(folder, mode);
  expect(restrictPermissions(inFolder(folder), owner).unchanged).toEqual([]);
  expect(modeOf(folder)).toBe('700');
});

test('Only SQLite files are restricted outside of folders, with their parts', () => {
  const folder = folderWith(0o755, { 'own.db': 0o644, 'own.db-wal': 0o644, 'other.txt': 0o644, 'folder/': 0o777 });
  writeFileSync(join(folder, 'other.txt'), 'no database');
  const databases = ['own.db', 'other.txt', 'folder', 'missing.db'].map((name) => join(folder, name));
  expect(restrictPermissions({ folders: [], databases }, owner)).toEqual({
    restricted: [join(folder, 'own.db'), join(folder, 'own.db-wal')],
    unchanged: [],
  });
  expect(['own.db', 'own.db-wal', 'other.txt', 'folder'].map((name) => modeOf(folder, name))).toEqual([
    ...['600', '600'],
    ...['644', '777'],
  ]);
});

describe('A data folder that other users can read', () => {
  test('is restricted and reported', () => {
    const folder = folderWith(0o755, {
      'log.db': 0o644,
      'log.db-wal': 0o644,
      'incoming/': 0o755,
      'blobs/': 0o775,
      'secret.key': 0o600,
      '.kept': 0o644,
      'lost+found/': 0o700,
    });
    const { restricted, unchanged } = restrictPermissions(inFolder(folder), owner);
    expect([
      modeOf(folder),
      ...['log.db', 'log.db-wal', 'incoming', 'blobs', 'secret.key', '.kept'].map((name) => modeOf(folder, name)),
    ]).toEqual(['700', '600', '600', '700', '700', '600', '644']);
    expect(restricted.toSorted()).toEqual([
      folder,
      ...['blobs', 'incoming', 'log.db', 'log.db-wal'].map((name) => join(folder, name)),
    ]);
    expect(unchanged).toEqual([]);
    expect(restrictPermissions(inFolder(folder), owner)).toEqual({ restricted: [], unchanged: [] });
  });

  test('is restricted behind a configured link; links in it are unchanged', () => {
    const [folder, elsewhere] = [folderWith(0o755, { 'log.db': 0o644 }), folderWith(0o755, { file: 0o644 })];
    const link = join(folderWith(0o700, {}), 'link');
    symlinkSync(folder, link);
    symlinkSync(elsewhere, join(folder, 'blobs'));
    expect(restrictPermissions(inFolder(link), owner).unchanged).toEqual([join(folder, 'blobs')]);
    expect([modeOf(folder), modeOf(folder, 'log.db'), modeOf(elsewhere)]).toEqual(['700', '600', '755']);
  });

  test('stops the start with a remedy if this process may not change it', () => {
    const folder = folderWith(0o755, { 'log.db': 0o644 });
    expect(() => restrictPermissions(inFolder(folder), otherUser)).toThrow(`Run "chmod go= ${folder}" as its owner`);
    chmodSync(folder, 0o700);
    expect(() => restrictPermissions(inFolder(folder), otherUser)).toThrow(SettingsError);
    expect(modeOf(folder, 'log.db')).toBe('644');
  });
});

describe('A folder that an orchestrator provides for a group of this process', () => {
  test('is unchanged and reported', () => {
    const folder = folderWith(0o2775, { 'log.db': 0o660 });
    expect(restrictPermissions(inFolder(folder), groupMember)).toEqual({
      restricted: [],
      unchanged: [folder, join(folder, 'log.db')],
    });
  });

  test.runIf(uid === 0)('has its files restricted if this process owns them', () => {
    const folder = folderWith(0o2777, { 'log.db': 0o660 });
    const member: UserIdentity = { uid: 4_000_001, gids: [gid] };
    chownSync(join(folder, 'log.db'), member.uid, gid);
    expect(restrictPermissions(inFolder(folder), member)).toEqual({
      restricted: [join(folder, 'log.db')],
      unchanged: [folder],
    });
    expect(modeOf(folder, 'log.db')).toBe('600');
  });
});

describe('A folder that also contains other files', () => {
  test('keeps its mode; the files of the service in it are restricted', () => {
    const folder = folderWith(0o755, { 'log.db': 0o644, 'photo.jpg': 0o644 });
    expect(restrictPermissions(inFolder(folder), owner)).toEqual({
      restricted: [join(folder, 'log.db')],
      unchanged: [folder],
    });
    expect([modeOf(folder), modeOf(folder, 'photo.jpg')]).toEqual(['755', '644']);
  });

  test.each([0o777, 0o1777])('stops the start if all users can write to it (%o), and is unchanged', (mode) => {
    const folder = folderWith(mode, { 'photo.jpg': 0o644 });
    expect(() => restrictPermissions(inFolder(folder), owner)).toThrow(
      'a folder that all users of this machine can write to',
    );
    expect(modeOf(folder)).toBe(mode.toString(8));
  });
});

describe('The stored paths of an installation', () => {
  const embedded = {
    dataDir: '/data',
    eventStoreUrl: 'sqlite:',
    busUrl: 'memory:',
    readStoreUrl: 'sqlite:',
    blobStoreUrl: 'file:',
  };
  const servers = {
    dataDir: '/data',
    eventStoreUrl: 'kurrentdb://a',
    busUrl: 'nats://a',
    readStoreUrl: 'mongodb://a',
    blobStoreUrl: 'gridfs:',
  };

  test('are the data folder, the blob folder and the database files of the settings', () => {
    expect(storedPathsOf(embedded, true).folders).toEqual(['/data', '/data/blobs']);
    const { folders, databases } = storedPathsOf(
      { ...embedded, eventStoreUrl: 'sqlite:/logs/colophon.db', blobStoreUrl: 'file:/blobs' },
      false,
    );
    expect(folders).toEqual(['/data', '/blobs']);
    expect(databases).toContain('/logs/colophon.db');
  });

  test('are empty if all engines are servers', () => {
    expect(storedPathsOf(servers, false)).toEqual({ folders: [], databases: [] });
    expect(storedPathsOf(servers, true).folders).toEqual(['/data']);
  });
});
