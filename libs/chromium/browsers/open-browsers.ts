import PQueue from 'p-queue';
import { type RenderMode, renderModes } from '#contracts/render-modes.ts';
import type { PrinterLogger } from '../print-request.ts';
import { startHealthChecks } from './health-checks.ts';
import { type IsolatedBrowsers, openBrowserInstance, openIsolatedBrowsers, type OpenProxy } from './instance.ts';
import { superviseBrowser, type Supervisor } from './supervisor.ts';
import { findCertutil } from './trusted-authorities.ts';

export type BrowsersOptions = {
  executable: string;
  /** Opens the proxy of each document that may fetch; without it no document has network. */
  openProxy?: OpenProxy | undefined;
  caFile?: string | undefined;
  /** The number of documents printed at once in each browser; more while some are slow. */
  pagesPerBrowser: number;
  /** The limit for all processes of one browser together. */
  memoryMb: number;
  logger: PrinterLogger;
  /** For tests. */
  tuning?: Partial<BrowserTuning> | undefined;
};

type BrowserTuning = {
  documentsPerPage: number;
  documentsPerBrowser: number;
  memoryCheckIntervalMs: number;
  healthCheckIntervalMs: number;
  responseTimeoutMs: number;
};

const defaultTuning: BrowserTuning = {
  documentsPerPage: 1000,
  documentsPerBrowser: 20_000,
  memoryCheckIntervalMs: 500,
  healthCheckIntervalMs: 5000,
  responseTimeoutMs: 15_000,
};

/** `shared` has one supervised browser of each render mode; `isolated` opens one for a single document. */
export type Browsers = {
  shared: Record<RenderMode, Supervisor>;
  isolated: IsolatedBrowsers;
  /** Whether a shared browser should run but does not. */
  areDown(): boolean;
  /** Ends the shared browsers. An isolated one ends with its document. */
  close(): Promise<void>;
};

/**
 * Starts the browser without scripts and resolves once it runs; the others start with the first document that needs them.
 * Browsers that use too much memory or do not respond are killed.
 * @throws with a remedy if the browser does not start
 */
export const openBrowsers = async (options: BrowsersOptions): Promise<Browsers> => {
  const { executable, openProxy, caFile, pagesPerBrowser, memoryMb, logger } = options;
  const tuning = { ...defaultTuning, ...options.tuning };
  if (caFile && !findCertutil())
    logger.warn(
      { ca_file: caFile },
      'certutil is missing (Debian: libnss3-tools): the additional authorities are only trusted for servers ' +
        'that send the authority in their chain, and their signatures are not checked',
    );
  const browser = { executable, openProxy, caFile, memoryMb };
  const replacements = new PQueue({ concurrency: 1 });
  const startSupervisor = (renderMode: RenderMode) =>
    superviseBrowser({
      open: () =>
        openBrowserInstance({
          ...browser,
          renderMode,
          reusablePages: renderMode === 'static' ? pagesPerBrowser : 0,
          documentsPerPage: tuning.documentsPerPage,
        }),
      // Many installations print no document with scripts, and a browser needs memory and processor time.
      start: renderMode === 'static' ? 'at once' : 'when needed',
      documentsPerBrowser: tuning.documentsPerBrowser,
      logger,
      runExclusively: (work) => replacements.add(work),
    });
  const supervisors = await Promise.all(renderModes.map(startSupervisor));
  const isolated = openIsolatedBrowsers((renderMode) =>
    openBrowserInstance({
      ...browser,
      renderMode,
      reusablePages: renderMode === 'static' ? 1 : 0,
      documentsPerPage: 1,
    }),
  );
  const stopHealthChecks = startHealthChecks({
    instances: () => [...supervisors.flatMap((supervisor) => supervisor.instances()), ...isolated.instances()],
    logger,
    ...tuning,
  });
  return {
    shared: Object.fromEntries(renderModes.map((renderMode, index) => [renderMode, supervisors[index]])) as Record<
      RenderMode,
      Supervisor
    >,
    isolated,
    areDown: () => supervisors.some((supervisor) => supervisor.isDown()),
    close: async () => {
      stopHealthChecks();
      await Promise.all(supervisors.map((supervisor) => supervisor.close()));
    },
  };
};
