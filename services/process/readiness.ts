import type { Logger } from '#libs/telemetry/log.ts';

const lookEveryMs = 1_000;

/** Tells the log whenever the process becomes ready, or ceases to be, and why. */
export const watchReadiness = (missing: () => string[], logger: Logger): { stop(): void } => {
  let told = '[]';
  const look = (): void => {
    const now = missing();
    if (JSON.stringify(now) === told) return;
    told = JSON.stringify(now);
    if (now.length > 0) logger.warn({ missing: now }, 'not ready');
    else logger.info('ready');
  };
  const timer = setInterval(look, lookEveryMs).unref();
  return { stop: () => clearInterval(timer) };
};
