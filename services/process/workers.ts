import { runWhileLeader } from '#libs/leader-election/run-while-leader.ts';
import { withRetry } from '#libs/engines/decorators.ts';
import { isRemoteEngine } from '#libs/engines/remote.ts';
import { projections } from '#libs/projections/all.ts';
import { observeQueues } from '#libs/telemetry/queue-metrics.ts';
import { runTogether } from '#libs/concurrency/run-together.ts';
import { runDeliveryWorker } from '../delivery/delivery.ts';
import { runProjector } from '../projector/projector.ts';
import { runRelay } from '../relay/relay.ts';
import { renderPermits } from '../renderer/permits.ts';
import { runLimitsCorrection } from '../sweeper/correct-limits.ts';
import { runSweeper } from '../sweeper/sweeper.ts';
import type { ProcessContext } from './process-context.ts';
import { abortAfterShutdownTimeout, keepRunning, type ProcessRole, type RunningRole } from './running-role.ts';

/** Runs a role that only one process at a time can have. Embedded engines serve one process, so it needs no election. */
const startSingleRole = async (
  context: ProcessContext,
  role: ProcessRole,
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
    runProjector(store, reads, projections, projectorIntervalMs, signal),
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
