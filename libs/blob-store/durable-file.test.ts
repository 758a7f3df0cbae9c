import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDurableFolder, createDurably, writeDurably } from './durable-file.ts';

let folder: string;
let incoming: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durable-file-'));
  incoming = join(folder, 'incoming');
  await mkdir(incoming);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('A durable folder', () => {
  it('is created with those above it, also twice at once', async () => {
    const path = join(folder, 'a', 'b', 'c');
    await Promise.all([createDurableFolder(path), createDurableFolder(path)]);
    await createDurableFolder(path);
    expect(await readdir(path)).toEqual([]);
  });

  it('is an error in place of a file, and where the file system has no folders', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    await expect(createDurableFolder(file)).rejects.toThrow('EEXIST');
    await expect(createDurableFolder(join(file, 'below'))).rejects.toThrow('ENOTDIR');
    await expect(createDurableFolder('/proc/nothing/here')).rejects.toThrow('ENOENT');
  });
});

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
