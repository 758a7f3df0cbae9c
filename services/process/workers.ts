import { openPrinter } from '#libs/chromium/printer.ts';
import { requireBrowser } from '#libs/config/browser.ts';
import { whileElected } from '#libs/election/while-elected.ts';
import { withRetry } from '#libs/engines/decorators.ts';
import { projections } from '#libs/projections/all.ts';
import { watchWorkshop } from '#application/renders/telemetry.ts';
import { watchQueues } from '#libs/telemetry/watch-service.ts';
import { runDelivery } from '../delivery/delivery.ts';
import { runProjector } from '../projector/projector.ts';
import { runRelay } from '../relay/relay.ts';
import { mostPerPlace, runRenderer } from '../renderer/renderer.ts';
import { runCorrection } from '../sweeper/correct-limits.ts';
import { runSweeper } from '../sweeper/sweeper.ts';
import type { House } from './process-context.ts';
import { keepRunning, type Role, type Running, together } from './running.ts';

/** Keeps a role going that one process at a time may have. */
const keepElected = async (house: House, role: Role, work: (signal: AbortSignal) => Promise<void>): Promise<Running> => {
  const { engines, candidate, logger, report, isAway } = house;
  const parts = { reads: await engines.reads(), office: role, candidate, report: (fact: Record<string, unknown>, message: string): void => logger.info(fact, message) };
  return keepRunning({ role, isAway, report, run: (signal) => whileElected(parts, work, signal) });
};

/** How long a job in hands waits for an engine once the process is to stop, in milliseconds. */
const lastPatienceMs = 10_000;

const soonAfter = (signal: AbortSignal): AbortSignal => {
  const over = new AbortController();
  signal.addEventListener('abort', () => setTimeout(() => over.abort(), lastPatienceMs).unref(), { once: true });
  return over.signal;
};

/** Prints; starts its browsers first. Throws where no browser comes up. */
export const startRenderer = async (house: House): Promise<Running> => {
  const { settings, engines, logger, worker, report, isAway, now } = house;
  const [store, blobs, bus, answers] = await Promise.all([engines.store(), engines.blobs(), engines.bus(), engines.answers()]);
  const egress = await house.egress();
  const caFile = settings.egressCaFile ? { caFile: settings.egressCaFile } : {};
  const printer = await openPrinter({ executable: requireBrowser(), openProxy: egress.openProxy, memoryMb: settings.chromiumMemoryMb, log: logger, ...caFile });
  const preparation = house.preparation();
  const unwatch = watchWorkshop({ printer, preparation });
  const running = keepRunning({
    role: 'renderer', isAway, report,
    run: (signal) => {
      const waiting = soonAfter(signal);
      const log = { store: withRetry(store, waiting), now };
      const lasting = house.unreadableBlobs.over(withRetry(blobs, waiting));
      const inputs = house.blobMemory.over(lasting);
      return runRenderer({ blobs: { ...lasting, get: (sha256) => inputs.get(sha256) }, log, answers, worker, report, preparation, printer }, bus, settings.renderConcurrency, signal);
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
export const startDelivery = async (house: House): Promise<Running> => {
  const { settings: { baseUrl }, engines, report, isAway, now } = house;
  const [store, blobs, reads, bus] = await Promise.all([engines.store(), engines.blobs(), engines.reads(), engines.bus()]);
  const [egress, secrets] = [await house.egress(), house.secrets()];
  return keepRunning({
    role: 'delivery', isAway, report,
    run: (signal) => {
      const waiting = soonAfter(signal);
      const log = { store: withRetry(store, waiting), now };
      return runDelivery({ log, blobs: house.unreadableBlobs.over(withRetry(blobs, waiting)), reads: withRetry(reads, waiting), egress, secrets, baseUrl }, bus, report, signal);
    },
  });
};

/** Carries work from the log to the bus. */
export const startRelay = async (house: House): Promise<Running> => {
  const { engines, settings: { renderConcurrency: concurrency } } = house;
  const [store, bus, reads] = await Promise.all([engines.store(), engines.bus(), engines.reads()]);
  const unwatch = watchQueues(reads);
  const running = await keepElected(house, 'relay', (signal) => runRelay({ store, bus, reads, concurrency, most: concurrency * mostPerPlace }, signal));
  return {
    ...running,
    stop: async () => {
      await running.stop();
      unwatch();
    },
  };
};

/** How much time there is between two steps of the projector: each costs the read store an operation or two, which more documents make little dearer. Queries are never to be 100 ms late. */
const everyMs = 50;

/** Keeps the read models. */
export const startProjector = async (house: House): Promise<Running> => {
  const [store, reads] = await Promise.all([house.engines.store(), house.engines.reads()]);
  return keepElected(house, 'projector', (signal) => runProjector(store, reads, projections, { everyMs }, signal));
};

/** Corrects what was counted wrong, and erases what is over. */
export const startSweeper = async (house: House): Promise<Running> => {
  const { engines, now, report } = house;
  const [store, reads, blobs, limits] = await Promise.all([engines.store(), engines.reads(), engines.blobs(), engines.limits()]);
  const parts = { log: { store, now }, reads, blobs, limits };
  return keepElected(house, 'sweeper', (signal) => together(signal, (until) => runSweeper(parts, report, until), (until) => runCorrection(parts, report, until)));
};
