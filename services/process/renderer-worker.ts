import { observeRendering } from '#application/renders/telemetry.ts';
import { withRetry } from '#libs/engines/decorators.ts';
import { runRenderer } from '../renderer/renderer.ts';
import type { ProcessContext } from './process-context.ts';
import { openPrinterAndOffice } from './render-dependencies.ts';
import { abortAfterShutdownTimeout, keepRunning, type RunningRole } from './running-role.ts';

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
  const { printer, office, close } = await openPrinterAndOffice(settings, egress, logger);
  const preparation = await context.preparation();
  const stopObserving = observeRendering({ printer, preparation, office });
  const running = keepRunning({
    role: 'renderer',
    isEngineUnavailable,
    report,
    run: (signal) => {
      const retrySignal = abortAfterShutdownTimeout(signal);
      const eventLog = { store: withRetry(store, retrySignal), now };
      const outputs = withRetry(blobs, retrySignal);
      const trackedBlobs = context.unreadableBlobs.wrap(outputs);
      const inputs = context.blobCache.wrap(trackedBlobs);
      return runRenderer(
        {
          blobs: { ...trackedBlobs, get: (sha256) => inputs.get(sha256) },
          outputs,
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
      await close();
    },
  };
};
