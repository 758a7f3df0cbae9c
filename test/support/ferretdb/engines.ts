import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { type FerretDb, isFerretDbAvailable, startFerretDb } from './server.ts';

/** One server for the tests of a file. Where there is none, `at` stays empty; those tests are to be skipped. */
export const useFerretDb = (): { server: FerretDb } => {
  const at = {} as { server: FerretDb };
  beforeAll(async () => {
    if (isFerretDbAvailable) at.server = await startFerretDb();
  });
  afterAll(() => at.server?.remove());
  return at;
};

type ClosableEngine = { close(): Promise<void> };

/** Opens an engine over a database of its own, in the form that the suites take. */
export const openEngineOn = async <E extends ClosableEngine>(
  server: Pick<FerretDb, 'url'>,
  open: (url: string) => Promise<E>,
) => {
  const url = server.url(`test-${randomUUID()}`);
  const all = [await open(url)];
  const more = async (): Promise<E> => {
    const one = await open(url);
    all.push(one);
    return one;
  };
  const close = async (): Promise<void> => {
    for (const engine of all) await engine.close();
  };
  return {
    url,
    engine: all[0]!,
    /** One more over the same storage, while the others are open. */
    another: more,
    reopen: async (): Promise<E> => {
      await close();
      return more();
    },
    close,
  };
};
