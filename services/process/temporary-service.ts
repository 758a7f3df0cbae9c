import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from './command-context.ts';
import { start } from './start.ts';

/** `key` is a live key of its only account, which has no limits. `ended` resolves when the service has stopped. */
export type TemporaryService = { url: string; key: string; ended: Promise<void>; close(): Promise<void> };

/** The settings of the user that change what a PDF looks like. All others, such as engines, have their defaults. */
const keptVariables = [
  'PATH',
  'HOME',
  'TMPDIR',
  'PUPPETEER_EXECUTABLE_PATH',
  'CHROMIUM_MEMORY_MB',
  'LIBREOFFICE_FOLDER',
  'LIBREOFFICE_MEMORY_MB',
  'COLOPHON_EGRESS_ALLOW',
  'COLOPHON_EGRESS_CA_FILE',
];

/**
 * Starts the whole service in this process, with its data in a temporary folder, for commands that render without an
 * installation. It listens on the loopback interface. A stop signal of the process stops it, too.
 * @throws UsageError if it cannot start, after it has logged why
 */
export const openTemporaryService = async (): Promise<TemporaryService> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'colophon-render-'));
  // A command also ends without closing the service: when the reader of its output is gone.
  const removeAtExit = (): void => rmSync(dataDir, { recursive: true, force: true });
  process.once('exit', removeAtExit);
  const env = {
    ...Object.fromEntries(keptVariables.map((name) => [name, process.env[name]])),
    COLOPHON_DATA_DIR: dataDir,
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'fatal',
  };
  const stop = new AbortController();
  const ready = Promise.withResolvers<Pick<TemporaryService, 'url' | 'key'>>();
  const run = async (): Promise<void> => {
    try {
      await start(
        [],
        {
          // Standard output is for the document.
          log: process.stderr,
          apiReady: (_, address, { defaultAccount }) => {
            if (typeof address === 'object' && address && defaultAccount)
              ready.resolve({ url: `http://127.0.0.1:${address.port}`, key: defaultAccount.liveKey });
          },
          healthReady: () => undefined,
        },
        env,
        stop.signal,
      );
    } finally {
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
      process.off('exit', removeAtExit);
    }
  };
  const ended = run();
  const failed = ended.then(() => {
    throw new UsageError('The renderer stopped before it was ready. The log above says why.');
  });
  const { url, key } = await Promise.race([ready.promise, failed]);
  failed.catch(() => undefined);
  return {
    url,
    key,
    ended,
    close: () => {
      stop.abort();
      return ended;
    },
  };
};
