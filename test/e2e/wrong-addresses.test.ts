import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runColophon } from './process.ts';

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'colophon-addresses-'))));
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const run = (variable: string, address: string, ...args: readonly string[]) =>
  runColophon(args, { PORT: '0', COLOPHON_DATA_DIR: folder, COLOPHON_SECRET: 'a secret for trials that is long enough', [variable]: address });

const wrong = [
  ['EVENT_STORE_URL', 'kurrentdb://me:geheim@', 'host:port'],
  ['EVENT_STORE_URL', 'kurrentdb://me:geheim@127.0.0.1:1?tlsCAFile=/nowhere', 'tlsCAFile'],
  ['BUS_URL', 'nats://me:geheim@', 'nats://host:port'],
  ['READ_STORE_URL', 'mongodb://me:geheim@127.0.0.1:1/x?nonsense=1', 'nonsense'],
  ['READ_STORE_URL', 'mongodb://me:geheim@127.0.0.1:1/a.b', "'.'"],
  ['BLOB_STORE_URL', 'gridfs://me:geheim@', 'mongodb://'],
] as const;

describe('An address that no waiting mends', () => {
  it.each(wrong)('ends a command with one sentence: %s=%s', async (variable, address, about) => {
    const { code, stderr } = await run(variable, address, 'account', 'list');
    expect(stderr.split('\n')).toEqual([expect.stringMatching(new RegExp(`^${variable} `)), '']);
    expect(stderr).toContain(about);
    expect(stderr).not.toContain('geheim');
    expect(code).toBe(1);
  });

  it.each(wrong)('ends the service with one sentence: %s=%s', async (variable, address, about) => {
    const { code, stdout, stderr } = await run(variable, address, 'start', 'projector', 'relay', 'delivery', 'api');
    const said = stdout + stderr;
    expect(said).toMatch(new RegExp(`"level":"fatal",[^\n]*"msg":"${variable} `));
    expect(said).toContain(about);
    expect(said).not.toMatch(/geheim|\bat \S+\.ts:\d+/);
    expect(code).toBe(1);
  });
});
