import { openPrinter } from '#libs/chromium/printer.ts';
import { removeAbandonedFolders } from '#libs/disk/temporary-folder.ts';
import { openOffice } from '#libs/office/libreoffice/office.ts';
import { requireBrowser } from '#libs/config/require-browser.ts';
import { runWhileLeader } from '#libs/leader-election/run-while-leader.ts';
import { withRetry } from '#libs/engines/decorators.ts';
import { isRemoteEngine } from '#libs/engines/remote.ts';
import { projections } from '#libs/projections/all.ts';
import { observeRendering } from '#application/renders/telemetry.ts';
import { observeQueues } from '#libs/telemetry/queue-metrics.ts';
import { runTogether } from '#libs/scheduling/run-together.ts';
import { runDeliveryWorker } from '../delivery/delivery.ts';
import { runProjector } from '../projector/projector.ts';
import { runRelay } from '../relay/relay.ts';
import { renderPermits, runRenderer } from '../renderer/renderer.ts';
import { runLimitsCorrection } from '../sweeper/correct-limits.ts';
import { runSweeper } from '../sweeper/sweeper.ts';
import { officeOptions } from './office-options.ts';
import type { ProcessContext } from './process-context.ts';
import { keepRunning, type Role, type RunningRole } from './running-role.ts';

/** Runs a role that only one process at a time can have. Embedded engines serve one process, so it needs no election. */
const startSingleRole = async (
  context: ProcessContext,
  role: Role,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<RunningRole> => {
  const { engines, processIdentity, logger, report, isEngineUnavailable } = context;
  const reads = await engines.reads();
  const election = {
    reads,
    role,
    processIdentity,
    report: (fact: Record<string, unknown>, message: string): void => logger.info(fact, message),
  };
  return keepRunning({
    role,
    isEngineUnavailable,
    report,
    run: isRemoteEngine(reads) ? (signal) => runWhileLeader(election, work, signal) : work,
  });
};

/** How long a current task waits for an engine after the process got the signal to stop. */
const shutdownTimeoutMs = 10_000;

const abortAfterShutdownTimeout = (signal: AbortSignal): AbortSignal => {
  const aborter = new AbortController();
  signal.addEventListener('abort', () => setTimeout(() => aborter.abort(), shutdownTimeoutMs).unref(), { once: true });
  return aborter.signal;
};

/** Starts the renderer and its browsers. @throws Error when no browser starts */
export const startRenderer = async (context: ProcessContext): Promise<RunningRole> => {
  const { settings, engines, logger, processName, report, isEngineUnavailable, now } = context;
  const [store, blobs, bus, replies] = await Promise.all([
    engines.store(),
    engines.blobs(),
    engines.bus(),
    engines.replies(),
  ]);
  const [egress, secrets] = [await context.egress(), context.secrets()];
  removeAbandonedFolders();
  const printer = await openPrinter({
    executable: requireBrowser(),
    openProxy: egress.openProxy,
    memoryMb: settings.chromiumMemoryMb,
    logger,
    caFile: settings.egressCaFile,
  });
  const office = openOffice(officeOptions(settings, logger));
  const preparation = context.preparation();
  const stopObserving = observeRendering({ printer, preparation, office });
  const running = keepRunning({
    role: 'renderer',
    isEngineUnavailable,
    report,
    run: (signal) => {
      const retrySignal = abortAfterShutdownTimeout(signal);
      const eventLog = { store: withRetry(store, retrySignal), now };
      const retryingBlobs = context.unreadableBlobs.wrap(withRetry(blobs, retrySignal));
      const inputs = context.blobMemory.wrap(retryingBlobs);
      return runRenderer(
        {
          blobs: { ...retryingBlobs, get: (sha256) => inputs.get(sha256) },
          eventLog,
          replies,
          secrets,
          worker: processName,
          report,
          preparation,
          printer,
          office,
        },
        bus,
        settings.renderConcurrency,
        signal,
      );
    },
  });
  return {
    ended: running.ended,
    limitations: () => [office.missing()].filter((reason) => reason !== null),
    missing: () => [...running.missing(), ...(printer.ready() ? [] : ['no browser is running yet'])],
    stop: async () => {
      await running.stop();
      stopObserving();
      await Promise.all([printer.close(), office.close()]);
    },
  };
};

/** Sends webhooks. */
export const startDeliveryWorker = async (context: ProcessContext): Promise<RunningRole> => {
  const { settings, engines, report, isEngineUnavailable, now } = context;
  const [store, blobs, reads, bus] = await Promise.all([
    engines.store(),
    engines.blobs(),
    engines.reads(),
    engines.bus(),
  ]);
  const [egress, secrets] = [await context.egress(), context.secrets()];
  return keepRunning({
    role: 'delivery',
    isEngineUnavailable,
    report,
    run: (signal) => {
      const retrySignal = abortAfterShutdownTimeout(signal);
      const eventLog = { store: withRetry(store, retrySignal), now };
      return runDeliveryWorker(
        {
          eventLog,
          blobs: context.unreadableBlobs.wrap(withRetry(blobs, retrySignal)),
          reads: withRetry(reads, retrySignal),
          egress,
          secrets,
          baseUrl: settings.baseUrl,
        },
        bus,
        report,
        signal,
      );
    },
  });
};

/** Publishes open work from the event log to the bus. */
export const startRelay = async (context: ProcessContext): Promise<RunningRole> => {
  const { engines, settings } = context;
  const [store, bus, reads] = await Promise.all([engines.store(), engines.bus(), engines.reads()]);
  const stopObserving = observeQueues(reads);
  const running = await startSingleRole(context, 'relay', (signal) =>
    runRelay({ store, bus, reads, concurrency: renderPermits(settings.renderConcurrency) }, signal),
  );
  return {
    ...running,
    stop: async () => {
      await running.stop();
      stopObserving();
    },
  };
};

/** Each step costs few read-store operations, whatever the number of documents. Queries must not be more than 100 ms late. */
const projectorIntervalMs = 50;

/** Updates the read models. */
export const startProjector = async (context: ProcessContext): Promise<RunningRole> => {
  const [store, reads] = await Promise.all([context.engines.store(), context.engines.reads()]);
  return startSingleRole(context, 'projector', (signal) =>
    runProjector(store, reads, projections, { intervalMs: projectorIntervalMs }, signal),
  );
};

/** Corrects usage counters and erases expired data. */
export const startSweeper = async (context: ProcessContext): Promise<RunningRole> => {
  const { engines, now, report } = context;
  const [store, reads, blobs, limits] = await Promise.all([
    engines.store(),
    engines.reads(),
    engines.blobs(),
    engines.limits(),
  ]);
  const dependencies = { eventLog: { store, now }, reads, blobs, limits };
  return startSingleRole(context, 'sweeper', (signal) =>
    runTogether(
      signal,
      (loopSignal) => runSweeper(dependencies, report, loopSignal),
      (loopSignal) => runLimitsCorrection(dependencies, report, loopSignal),
    ),
  );
};
