import { closeSync, mkdirSync, openSync, readFileSync, rmdirSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { createClient } from '../support/client/api-client.ts';
import { createJobClient } from '../support/client/job-client.ts';
import { sha256Of } from '../support/sha256.ts';
import { type TestInstallation, openTestInstallation } from '../support/service/installation.ts';

const timeoutMs = 300_000;

const fileOf = (name: string): string => join(installation.dataDir, name);
const overwrite = (file: string, at: number, bytes: Uint8Array): void => {
  const handle = openSync(file, 'r+');
  writeSync(handle, bytes, 0, bytes.byteLength, at);
  closeSync(handle);
};
const garbage = (length: number): Uint8Array => Uint8Array.from({ length }, (_, index) => (index * 37 + 11) % 256);
const pageBytes = 4096;

const damages = {
  'with a page overwritten': (file: string) => overwrite(file, 2 * pageBytes, garbage(pageBytes)),
  'that is empty, with leftovers of its write-ahead log': (file: string) => {
    writeFileSync(file, '');
    writeFileSync(`${file}-wal`, garbage(3 * pageBytes));
    writeFileSync(`${file}-shm`, garbage(32_768));
  },
} as const;
type Damage = keyof typeof damages;
const large = `<p>${'large '.repeat(20_000)}</p>`;

/** The ids of jobs in the files of {@link soundFiles}: one that is done, and one that is still in the queue. */
type Jobs = { key: string; done: string; open: string };

let soundFiles: string;
let jobs: Jobs;
// The files that a killed service has left, for all tests.
beforeAll(async () => {
  soundFiles = await mkdtemp(join(tmpdir(), 'colophon-sound-'));
  const killed = await openTestInstallation();
  const key = await createUnlimitedKey(killed);
  const service = await killed.start();
  const client = createJobClient(createClient(service.url, key));
  const done = (await client.submitAsync({}, { mode: 'CONVERT', input_type: 'html', data: large })).job_id;
  await client.waitUntilEnded(done);
  jobs = { key, done, open: (await client.submitAsync({ wait_time: 2_000 })).job_id };
  await service.stop('SIGKILL');
  await cp(killed.dataDir, soundFiles, { recursive: true });
  await killed.remove();
});
afterAll(() => rm(soundFiles, { recursive: true, force: true }));

let installation: TestInstallation;
beforeEach(async () => {
  installation = await openTestInstallation();
  await cp(soundFiles, installation.dataDir, { recursive: true });
});
afterEach(() => installation.remove());

type Check = {
  ok: boolean;
  databases: { file: string; problems: string[] }[];
  event_log: { events: number; problems: string[] };
  blobs: { checked: number; problems: { sha256: string; problem: string }[] };
  secret: { problems: string[] } | null;
};
const check = async (): Promise<Check & { code: number | null }> => {
  const { code, stdout } = await installation.runCommand('--json', 'check');
  return { code, ...(JSON.parse(stdout) as Check) };
};

describe('A damaged database', () => {
  it.each(Object.keys(damages) as Damage[])(
    'read-models.db %s is rebuilt from the event log',
    async (damage) => {
      const file = fileOf('read-models.db');
      if (readFileSync(file).byteLength < 4 * pageBytes) throw new Error(`${file} is too small to be damaged`);
      for (const rest of ['-wal', '-shm']) writeFileSync(file + rest, '');
      damages[damage](file);

      const service = await installation.start();
      const client = createJobClient(createClient(service.url, jobs.key));
      expect((await client.waitUntilEnded(jobs.done)).status).toBe('DONE');
      expect((await client.waitUntilEnded(jobs.open)).status).toBe('DONE');
      expect((await client.events(jobs.done)).filter(({ type }) => type === 'RenderStarted')).toHaveLength(1);
      if (!damage.startsWith('that is empty')) {
        const line = service
          .output()
          .split('\n')
          .find((one) => one.includes('damaged database set aside'));
        expect(line).toContain(file);
        expect(
          (await readdir(installation.dataDir)).filter(
            (one) => one.startsWith('read-models.db.damaged-') && !/-(wal|shm)$/.test(one),
          ),
        ).toHaveLength(1);
      }
      // Two inputs, and the PDFs of two jobs.
      expect(await check()).toMatchObject({ code: 0, ok: true, event_log: { problems: [] }, blobs: { checked: 4 } });
      await createClient(service.url, jobs.key).render('html', '<p>x</p>');
      expect((await service.stop('SIGTERM')).code).toBe(0);
    },
    timeoutMs,
  );

  it('log.db is never renamed: the start reports the damage and says what to do', async () => {
    // What is in the write-ahead log gets into the database, as when a service stops.
    const database = new DatabaseSync(fileOf('log.db'));
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
    damages['with a page overwritten'](fileOf('log.db'));
    const before = readFileSync(fileOf('log.db'));
    const { code, stdout } = await installation.runProcess('start');
    expect(code).toBe(1);
    expect(stdout).toContain(`The database ${fileOf('log.db')} is damaged`);
    expect(stdout).toContain('Restore the file from a backup');
    expect(readFileSync(fileOf('log.db')).equals(before)).toBe(true);
    const command = await installation.runCommand('account', 'list');
    expect([command.code, command.stderr]).toEqual([
      1,
      expect.stringContaining(`The database ${fileOf('log.db')} is damaged`),
    ]);
  });

  it('that can be rebuilt is not changed by commands, which say what to do', async () => {
    overwrite(fileOf('read-models.db'), 0, garbage(16));
    const { code, stderr } = await installation.runCommand('account', 'list');
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/read-models\.db is damaged: .*"colophon start" renames it and rebuilds it/),
    ]);
  });
});

describe('"colophon check"', () => {
  it(
    'reports a secret that a start would refuse, and changes no file',
    async () => {
      const secret = readFileSync(fileOf('secret.key'), 'utf8');
      rmSync(fileOf('secret.key'));
      const missing = [expect.stringContaining('secret.key does not exist or is incomplete')] as string[];
      expect(await check()).toMatchObject({ code: 1, ok: false, secret: { problems: missing } });
      mkdirSync(fileOf('secret.key'));
      const unreadable = [expect.stringContaining('EISDIR')] as string[];
      const intact = { event_log: { problems: [] }, blobs: { problems: [] } };
      expect(await check()).toMatchObject({ code: 1, ok: false, secret: { problems: unreadable }, ...intact });
      rmdirSync(fileOf('secret.key'));
      writeFileSync(fileOf('secret.key'), `${Buffer.alloc(32, 7).toString('base64')}\n`, { mode: 0o600 });
      const { stdout } = await installation.runCommand('check');
      expect(stdout).toMatch(/^DAMAGED {2}secret: The secret in .*secret\.key is not the secret of this installation/m);

      // A first start that was killed leaves the secret under another name, which the next start finds.
      rmSync(fileOf('secret.key'));
      const unconfirmed = `secret.key.${/the event log has (\w{16})/.exec(stdout)![1]}`;
      writeFileSync(fileOf(unconfirmed), secret, { mode: 0o600 });
      expect(await check()).toMatchObject({ code: 0, secret: { problems: [] } });
      expect(await readdir(installation.dataDir)).toContain(unconfirmed);
    },
    timeoutMs,
  );

  it(
    'finds no problem in intact data, and reports each damage',
    async () => {
      const sound = await check();
      expect(sound).toMatchObject({
        code: 0,
        ok: true,
        event_log: { problems: [] },
        blobs: { problems: [] },
        secret: { problems: [] },
      });
      expect(sound.databases.map(({ file }) => basename(file)).toSorted()).toEqual(['log.db', 'read-models.db']);
      // Two inputs, and the stored PDF.
      expect(sound.blobs.checked).toBe(3);

      const blob = sha256Of(large);
      const blobFile = fileOf(join('blobs', blob.slice(0, 2), blob));
      const bytes = readFileSync(blobFile);
      overwrite(blobFile, 10, garbage(1));
      expect(await check()).toMatchObject({
        code: 1,
        ok: false,
        blobs: { problems: [{ sha256: blob, problem: expect.stringContaining('damaged') as string }] },
      });
      rmSync(blobFile);
      expect(await check()).toMatchObject({ code: 1, blobs: { problems: [{ sha256: blob, problem: 'is missing' }] } });
      writeFileSync(blobFile, bytes);

      const log = new DatabaseSync(fileOf('log.db'));
      log.exec(`
      UPDATE events SET data = '{' WHERE position = 2;
      UPDATE events SET type = 'NobodyKnows' WHERE position = 3;
      UPDATE events SET data = json_remove(data, '$.limits') WHERE type = 'RenderRequested';
      DELETE FROM events WHERE type = 'RenderStarted'`);
      log.close();
      const { event_log: found, secret } = await check();
      expect(secret).toBeNull();
      for (const wrong of [
        'after position 1 cannot be read',
        'there is no event type NobodyKnows',
        'the RenderRequested is not valid: limits',
        'the events in between are missing',
        'the stream should be at revision 1',
      ]) {
        expect(found.problems.join('\n')).toContain(wrong);
      }

      overwrite(fileOf('log.db'), 2 * pageBytes, garbage(pageBytes));
      overwrite(fileOf('read-models.db'), 0, garbage(16));
      const { databases, event_log: unread, blobs: unknown, code } = await check();
      const damaged = databases.filter(({ problems }) => problems.length > 0).map(({ file }) => basename(file));
      expect([code, damaged.toSorted()]).toEqual([1, ['log.db', 'read-models.db']]);
      expect(unread.problems.join()).toContain(`The database ${fileOf('log.db')} is damaged`);
      expect([unread.events, unknown]).toEqual([null, null]);
      expect((await installation.runCommand('check')).stdout).toContain('DAMAGED  event log: not read to its end');
    },
    timeoutMs,
  );

  it('reports a missing event log', async () => {
    const empty = await openTestInstallation();
    const { code, stderr } = await empty.runCommand('check');
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`There is no event log ${join(empty.dataDir, 'log.db')}`),
    ]);
    await empty.remove();
  });
});
