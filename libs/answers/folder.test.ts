import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFolderAnswers } from './folder.ts';
import type { Answer } from './port.ts';

let parent: string;
let folder: string;
const opened: { close(): Promise<void> }[] = [];
const open = async () => {
  const answers = await openFolderAnswers(folder);
  opened.push(answers);
  return answers;
};
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'colophon-answers-'));
  folder = join(parent, 'answers');
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
  await rm(parent, { recursive: true });
});

const never = new AbortController().signal;
const pdf = Buffer.from(Array.from({ length: 3000 }, (_, n) => (n * 7) % 256));
const done: Answer = { status: 'DONE', pdf, pages: 2, durationMs: 12.5 };
const failed: Answer = { status: 'FAILED', fault: { name: 'invalid_html', message: 'Line\nbreak', extra: { line: 3 } } };

describe('Answers in a folder', () => {
  it('come to whoever waits in another process, byte for byte, and leave nothing behind', async () => {
    const [api, renderer] = [await open(), await open()];
    const [one, other] = [api.wait('a', never), api.wait('b', never)];
    renderer.give('b', failed);
    renderer.give('a', done);
    const first = await one;
    expect({ ...first, pdf: Buffer.from((first as { pdf: Uint8Array }).pdf) }).toEqual({ ...done, pdf });
    expect(await other).toEqual(failed);
    await expect.poll(() => readdir(folder)).toEqual([]);
  });

  it('come to everybody who waits for the same render in one process', async () => {
    const [api, renderer] = [await open(), await open()];
    const waiting = [api.wait('a', never), api.wait('a', never)];
    renderer.give('a', failed);
    expect(await Promise.all(waiting)).toEqual([failed, failed]);
  });

  it('do not go through the folder where somebody in this process waits', async () => {
    const answers = await open();
    const waiting = answers.wait('a', never);
    answers.give('a', failed);
    expect(await waiting).toEqual(failed);
    await answers.close();
    expect(await readdir(folder)).toEqual([]);
  });

  it('are null for whoever gives up', async () => {
    const leaving = new AbortController();
    const waiting = (await open()).wait('a', leaving.signal);
    leaving.abort();
    expect(await waiting).toBeNull();
  });

  it('that nobody took are removed when they are old', async () => {
    await (await open()).close();
    const old = join(folder, 'old.answer');
    await writeFile(old, '{}\n');
    await utimes(old, new Date(0), new Date(0));
    await writeFile(join(folder, 'new.answer'), '{}\n');
    await open();
    expect(await readdir(folder)).toEqual(['new.answer']);
  });

  it('are for the eyes of this user alone', async () => {
    const renderer = await open();
    renderer.give('a', done);
    await renderer.close();
    expect([(await stat(folder)).mode & 0o777, (await stat(join(folder, 'a.answer'))).mode & 0o777]).toEqual([0o700, 0o600]);
  });
});
