import { openPrinter } from '#libs/chromium/printer.ts';
import { requireBrowser } from '#libs/config/require-browser.ts';
import { runWhileLeader } from '#libs/leader-election/run-while-leader.ts';
import { withRetry } from '#libs/engines/decorators.ts';
import { projections } from '#libs/projections/all.ts';
import { observeRendering } from '#application/renders/telemetry.ts';
import { observeQueues } from '#libs/telemetry/queue-metrics.ts';
import { runDeliveryWorker } from '../delivery/delivery.ts';
import { runProjector } from '../projector/projector.ts';
import { runRelay } from '../relay/relay.ts';
import { maxConcurrencyFactor, runRenderer } from '../renderer/renderer.ts';
import { runLimitsCorrection } from '../sweeper/correct-limits.ts';
import { runSweeper } from '../sweeper/sweeper.ts';
import type { ProcessContext } from './process-context.ts';
import { keepRunning, type Role, type RunningRole, runTogether } from './running-role.ts';

/** Keeps a role going that one process at a time may have. */
const startElectedRole = async (
  house: ProcessContext,
  role: Role,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<RunningRole> => {
  const { engines, processIdentity, logger, report, isEngineUnavailable } = house;
  const parts = {
    reads: await engines.reads(),
    role: role,
    processIdentity: processIdentity,
    report: (fact: Record<string, unknown>, message: string): void => logger.info(fact, message),
  };
  return keepRunning({ role, isEngineUnavailable, report, run: (signal) => runWhileLeader(parts, work, signal) });
};

/** How long a job in hands waits for an engine once the process is to stop, in milliseconds. */
const shutdownTimeoutMs = 10_000;

const abortAfterShutdownTimeout = (signal: AbortSignal): AbortSignal => {
  const over = new AbortController();
  signal.addEventListener('abort', () => setTimeout(() => over.abort(), shutdownTimeoutMs).unref(), { once: true });
  return over.signal;
};

/** Prints; starts its browsers first. Throws where no browser comes up. */
export const startRenderer = async (house: ProcessContext): Promise<RunningRole> => {
  const { settings, engines, logger, processName, report, isEngineUnavailable, now } = house;
  const [store, blobs, bus, answers] = await Promise.all([
    engines.store(),
    engines.blobs(),
    engines.bus(),
    engines.replies(),
  ]);
  const egress = await house.egress();
  const caFile = settings.egressCaFile ? { caFile: settings.egressCaFile } : {};
  const printer = await openPrinter({
    executable: requireBrowser(),
    openProxy: egress.openProxy,
    memoryMb: settings.chromiumMemoryMb,
    logger: logger,
    ...caFile,
  });
  const preparation = house.preparation();
  const unwatch = observeRendering({ printer, preparation });
  const running = keepRunning({
    role: 'renderer',
    isEngineUnavailable,
    report,
    run: (signal) => {
      const waiting = abortAfterShutdownTimeout(signal);
      const log = { store: withRetry(store, waiting), now };
      const lasting = house.unreadableBlobs.wrap(withRetry(blobs, waiting));
      const inputs = house.blobMemory.wrap(lasting);
      return runRenderer(
        {
          blobs: { ...lasting, get: (sha256) => inputs.get(sha256) },
          eventLog: log,
          replies: answers,
          worker: processName,
          report,
          preparation,
          printer,
        },
        bus,
        settings.renderConcurrency,
        signal,
      );
    },
  });
  return {
    ended: running.ended,
    missing: () => [...running.missing(), ...(printer.ready() ? [] : ['no browser is up yet'])],
    stop: async () => {
      await running.stop();
      unwatch();
      await printer.close();
    },
  };
};

/** Calls back. */
export const startDeliveryWorker = async (house: ProcessContext): Promise<RunningRole> => {
  const {
    settings: { baseUrl },
    engines,
    report,
    isEngineUnavailable,
    now,
  } = house;
  const [store, blobs, reads, bus] = await Promise.all([
    engines.store(),
    engines.blobs(),
    engines.reads(),
    engines.bus(),
  ]);
  const [egress, secrets] = [await house.egress(), house.secrets()];
  return keepRunning({
    role: 'delivery',
    isEngineUnavailable,
    report,
    run: (signal) => {
      const waiting = abortAfterShutdownTimeout(signal);
      const log = { store: withRetry(store, waiting), now };
      return runDeliveryWorker(
        {
          eventLog: log,
          blobs: house.unreadableBlobs.wrap(withRetry(blobs, waiting)),
          reads: withRetry(reads, waiting),
          egress,
          secrets,
          baseUrl,
        },
        bus,
        report,
        signal,
      );
    },
  });
};

/** Carries work from the log to the bus. */
export const startRelay = async (house: ProcessContext): Promise<RunningRole> => {
  const {
    engines,
    settings: { renderConcurrency: concurrency },
  } = house;
  const [store, bus, reads] = await Promise.all([engines.store(), engines.bus(), engines.reads()]);
  const unwatch = observeQueues(reads);
  const running = await startElectedRole(house, 'relay', (signal) =>
    runRelay({ store, bus, reads, concurrency, maxConcurrency: concurrency * maxConcurrencyFactor }, signal),
  );
  return {
    ...running,
    stop: async () => {
      await running.stop();
      unwatch();
    },
  };
};

/** How much time there is between two steps of the projector: each costs the read store an operation or two, which more documents make little dearer. Queries are never to be 100 ms late. */
const projectorIntervalMs = 50;

/** Keeps the read models. */
export const startProjector = async (house: ProcessContext): Promise<RunningRole> => {
  const [store, reads] = await Promise.all([house.engines.store(), house.engines.reads()]);
  return startElectedRole(house, 'projector', (signal) =>
    runProjector(store, reads, projections, { intervalMs: projectorIntervalMs }, signal),
  );
};

/** Corrects what was counted wrong, and erases what is over. */
export const startSweeper = async (house: ProcessContext): Promise<RunningRole> => {
  const { engines, now, report } = house;
  const [store, reads, blobs, limits] = await Promise.all([
    engines.store(),
    engines.reads(),
    engines.blobs(),
    engines.limits(),
  ]);
  const parts = { eventLog: { store, now }, reads, blobs, limits };
  return startElectedRole(house, 'sweeper', (signal) =>
    runTogether(
      signal,
      (until) => runSweeper(parts, report, until),
      (until) => runLimitsCorrection(parts, report, until),
    ),
  );
};
