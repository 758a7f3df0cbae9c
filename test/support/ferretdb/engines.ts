import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { type FerretDb, isFerretDbAvailable, startFerretDb } from './server.ts';

/** One server for the tests of a file. If the server is not available, the result stays empty; skip the tests then. */
export const useFerretDb = (): { server: FerretDb } => {
  const testServer = {} as { server: FerretDb };
  beforeAll(async () => {
    if (isFerretDbAvailable) testServer.server = await startFerretDb();
  });
  afterAll(() => testServer.server?.remove());
  return testServer;
};

type ClosableEngine = { close(): Promise<void> };

/** Opens an engine with its own database, for the contract tests. */
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
    /** Opens the same storage again while the others are open. */
    another: more,
    reopen: async (): Promise<E> => {
      await close();
      return more();
    },
    close,
  };
};
