import type { Environment } from '#libs/config/setting-table.ts';
import { withTemporaryFolder } from '#libs/disk/temporary-folder.ts';
import { UsageError } from './command-context.ts';
import { start, type StartupOutput } from './start.ts';
import { firstStopSignal } from './stop-signal.ts';

/**
 * `key` is a live key of its only account, which has no limits. `stopping` aborts when the service begins to stop;
 * requests may fail from then on. `ended` resolves when it has stopped.
 */
export type TemporaryService = {
  url: string;
  key: string;
  stopping: AbortSignal;
  ended: Promise<void>;
  close(): Promise<void>;
};

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

const environmentOf = (dataDir: string): Environment => ({
  ...Object.fromEntries(keptVariables.map((name) => [name, process.env[name]])),
  COLOPHON_DATA_DIR: dataDir,
  HOST: '127.0.0.1',
  PORT: '0',
  LOG_LEVEL: 'fatal',
  // The log goes to standard error.
  LOG_FORMAT: process.env['LOG_FORMAT'] ?? (process.stderr.isTTY ? 'pretty' : 'json'),
});

/**
 * Starts the whole service in this process, with its data in a temporary folder, for commands that render without an
 * installation. It listens on the loopback interface. A stop signal of the process stops it, too, also the end of its
 * terminal.
 * @throws UsageError if it cannot start, after it has logged why
 */
export const openTemporaryService = async (): Promise<TemporaryService> => {
  const stop = new AbortController();
  void firstStopSignal(['SIGTERM', 'SIGINT', 'SIGHUP']).then((signal) => stop.abort(signal));
  const ready = Promise.withResolvers<Pick<TemporaryService, 'url' | 'key'>>();
  const output: StartupOutput = {
    // Standard output is for the document.
    log: process.stderr,
    apiReady: (_, address, { defaultAccount }) => {
      if (typeof address === 'object' && address && defaultAccount)
        ready.resolve({ url: `http://127.0.0.1:${address.port}`, key: defaultAccount.liveKey });
    },
    healthReady: () => undefined,
  };
  const ended = withTemporaryFolder('render', (dataDir) => start([], output, environmentOf(dataDir), stop.signal));
  const failed = ended.then(() => {
    throw new UsageError(
      stop.signal.aborted
        ? 'The command was stopped before the renderer was ready.'
        : 'The renderer stopped before it was ready. The log above says why.',
    );
  });
  const { url, key } = await Promise.race([ready.promise, failed]);
  failed.catch(() => undefined);
  return {
    url,
    key,
    stopping: stop.signal,
    ended,
    close: () => {
      stop.abort('closed');
      return ended;
    },
  };
};
