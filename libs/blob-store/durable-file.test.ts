import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDurably, writeDurably } from './durable-file.ts';

let folder: string;
let incoming: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durable-file-'));
  incoming = join(folder, 'incoming');
  await mkdir(incoming);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('A durable file', () => {
  it('is written to a new folder, and replaces an existing file', async () => {
    const path = join(folder, 'ab', 'file');
    for (const text of ['first', 'second']) {
      await writeDurably(path, incoming, Buffer.from(text));
      expect(await readFile(path, 'utf8')).toBe(text);
    }
    expect(await readdir(incoming)).toEqual([]);
  });

  it('that is written once keeps its first content, also of parallel writes', async () => {
    const path = join(folder, 'id');
    const texts = Array.from({ length: 8 }, (_, number) => `text ${number}`);
    await Promise.all(texts.map((text) => createDurably(path, incoming, Buffer.from(text))));
    const first = await readFile(path, 'utf8');
    expect(texts).toContain(first);
    await createDurably(path, incoming, Buffer.from('later'));
    expect([await readFile(path, 'utf8'), await readdir(incoming)]).toEqual([first, []]);
  });

  it('that cannot be moved to its path leaves no temporary file', async () => {
    const path = join(folder, 'in the way');
    await mkdir(path);
    await expect(writeDurably(path, incoming, Buffer.from('text'))).rejects.toThrow('EISDIR');
    expect(await readdir(incoming)).toEqual([]);
  });
});
