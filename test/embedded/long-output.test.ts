import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSqliteEventStore } from '#libs/event-store/sqlite.ts';
import { commandLineOf } from '../support/service/installation.ts';

const program = fileURLToPath(new URL('../../bin/colophon', import.meta.url));

const document = fileURLToPath(new URL('../../docs/architecture.md', import.meta.url));

let folder: string;
let temporaryFolder: string;
let stream: string;
const commandLine = () => commandLineOf({ COLOPHON_DATA_DIR: folder });
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colophon-output-'));
  temporaryFolder = await mkdtemp(join(tmpdir(), 'colophon-output-'));
  // Browsers run as another user.
  await chmod(temporaryFolder, 0o755);
  await commandLine().runCommand('account', 'create', '--name', 'long', '--plan', 'free');
  const store = openSqliteEventStore(join(folder, 'log.db'));
  const opened = (await store.readAll(0, 10)).find(({ type }) => type === 'AccountOpened');
  stream = opened!.stream;
  // More than the buffer of a pipe.
  const suspensions = Array.from({ length: 400 }, () => ({
    ...opened!,
    id: randomUUID(),
    type: 'AccountSuspended' as const,
    data: { reason: 'x'.repeat(200) },
  }));
  await store.append(stream, suspensions, opened!.revision);
  await store.close();
});
afterAll(() =>
  Promise.all([folder, temporaryFolder].map((path) => rm(path, { recursive: true, force: true, maxRetries: 5 }))),
);

const shell = (after: string, command = `events ${stream}`): string =>
  execFileSync('sh', ['-c', `("${program}" ${command} | ${after}) 2>&1`], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], COLOPHON_DATA_DIR: folder, TMPDIR: temporaryFolder },
  });

it('A slow reader gets the whole output of a command', async () => {
  const { stdout } = await commandLine().runCommand('events', stream);
  expect(stdout.length).toBeGreaterThan(80_000);
  expect(shell('(sleep 1; cat)')).toBe(stdout);
});

it('A command ends without an error message, and leaves no document, when its reader closes the pipe', async () => {
  expect(shell('head -n 1 > /dev/null')).toBe('');
  expect(shell('true', `render "${document}" -o -`)).toBe('');
  expect(shell('true', '--help')).toBe('');
  expect((await readdir(temporaryFolder)).filter((name) => name.startsWith('colophon-render-'))).toEqual([]);
});
