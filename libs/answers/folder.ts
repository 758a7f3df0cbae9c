import { type FSWatcher, mkdirSync, watch } from 'node:fs';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { Answer, Answers } from './port.ts';
import { openWaitingRoom } from './waiting-room.ts';

/** Nobody waits for so long. */
const keptMs = 10 * 60_000;
const sweepEveryMs = 60_000;
/** Where the system tells of no changes, as in some shared folders, waiting callers are looked for so often. */
const lookEveryMs = 250;

const ending = '.answer';

/** The first line is JSON, the rest is the PDF. */
const packed = (answer: Answer): Buffer => {
  if (answer.status === 'FAILED') return Buffer.from(`${JSON.stringify(answer)}\n`);
  const { pdf, ...rest } = answer;
  return Buffer.concat([Buffer.from(`${JSON.stringify(rest)}\n`), pdf]);
};
const unpacked = (bytes: Buffer): Answer => {
  const end = bytes.indexOf('\n');
  const head = JSON.parse(bytes.subarray(0, end).toString()) as Answer;
  return head.status === 'FAILED' ? head : { ...head, pdf: bytes.subarray(end + 1) };
};

const removeOld = async (folder: string): Promise<void> => {
  for (const name of await readdir(folder).catch(() => [])) {
    const changed = await stat(join(folder, name)).then(({ mtimeMs }) => mtimeMs, () => Infinity);
    if (Date.now() - changed > keptMs) await rm(join(folder, name), { force: true });
  }
};

/**
 * Answers between the processes of one machine, as files that live until they are taken. Only this user can read them. One that cannot be written is
 * gone, as one that nobody takes is.
 */
export const openFolderAnswers = async (folder: string): Promise<Answers & { close(): Promise<void> }> => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await removeOld(folder);
  const here = openWaitingRoom();
  const awaited = new Set<string>();
  const writing = new Set<Promise<void>>();
  let sweptAt = performance.now();
  let watcher: FSWatcher | undefined;
  let timer: NodeJS.Timeout | undefined;

  const take = async (renderId: string): Promise<void> => {
    if (!here.has(renderId)) return;
    // Taken out of the way first: the next answer to the same render may come in its place at any time.
    const mine = join(folder, `${randomUUID()}.part`);
    const bytes = await rename(join(folder, renderId + ending), mine).then(() => readFile(mine)).catch(() => null);
    if (!bytes) return;
    here.give(renderId, unpacked(bytes));
    await rm(mine, { force: true });
  };
  const look = (): void => void Promise.all([...awaited].map(take));

  const listen = (): void => {
    watcher ??= watch(folder, { persistent: false }, (_, name) => void (name?.endsWith(ending) && take(name.slice(0, -ending.length)))).on('error', () => undefined);
    timer ??= setInterval(look, lookEveryMs);
  };
  const rest = (): void => {
    clearInterval(timer);
    timer = undefined;
  };

  const put = async (renderId: string, answer: Answer): Promise<void> => {
    const temporary = join(folder, `${randomUUID()}.part`);
    try {
      await writeFile(temporary, packed(answer), { mode: 0o600 });
      await rename(temporary, join(folder, renderId + ending));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    if (performance.now() - sweptAt < sweepEveryMs) return;
    sweptAt = performance.now();
    await removeOld(folder);
  };

  return {
    wait: async (renderId, signal) => {
      awaited.add(renderId);
      listen();
      try {
        return await here.wait(renderId, signal);
      } finally {
        if (!here.has(renderId)) awaited.delete(renderId);
        if (awaited.size === 0) rest();
      }
    },
    give: (renderId, answer) => {
      if (here.has(renderId)) return here.give(renderId, answer);
      const written: Promise<void> = put(renderId, answer).catch(() => undefined).finally(() => writing.delete(written));
      writing.add(written);
    },
    close: async () => {
      await Promise.all(writing);
      rest();
      watcher?.close();
    },
  };
};
