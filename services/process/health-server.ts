import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { ApiError } from '#contracts/http/api-error.ts';
import type { Settings } from '#libs/config/settings.ts';
import type { Logger } from '#libs/telemetry/logger.ts';
import { observeGauge } from '#libs/telemetry/metrics.ts';
import type { Telemetry } from '#libs/telemetry/telemetry.ts';
import { healthRoutes } from '../api/health/routes.ts';
import { internalError, sendError } from '../api/server/errors.ts';
import { newRequestId } from '../api/server/malformed-requests.ts';
import { registerRoutes } from '../api/server/register-routes.ts';
import { decorateRequests } from '../api/server/request.ts';
import { handleUnknownRoutes } from '../api/server/unknown-routes.ts';

/** Serves `/health/live`, `/health/ready` and `/metrics` for a process without an API. Throws where the port is taken. */
export const startHealthServer = async (
  { healthPort, host, metricsToken }: Settings,
  telemetry: Telemetry,
  missing: () => string[],
): Promise<{ address(): AddressInfo | string | null; stop(): Promise<void> }> => {
  const app = Fastify({ genReqId: newRequestId, return503OnClosing: false });
  decorateRequests(app);
  app.addHook('onRequest', async (request, reply) => void reply.header('x-request-id', request.id));
  handleUnknownRoutes(app);
  app.setErrorHandler((error, _, reply) => sendError(reply, error instanceof ApiError ? error.fields : internalError));
  registerRoutes(app, healthRoutes, { health: () => ({ missing: missing() }), telemetry, metricsToken });
  try {
    await app.listen({ port: healthPort, host });
  } catch (error) {
    const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    throw taken
      ? new Error(`HEALTH_PORT ${healthPort} is taken by another process; name another one, or 0 for a free one.`)
      : error;
  }
  return { address: () => app.server.address(), stop: () => app.close() };
};

const checkIntervalMs = 1_000;

/** Tells the log whenever the process becomes ready, or ceases to be, and why. */
export const logReadiness = (missing: () => string[], logger: Logger): { stop(): void } => {
  let told = '[]';
  const look = (): void => {
    const now = missing();
    if (JSON.stringify(now) === told) return;
    told = JSON.stringify(now);
    if (now.length > 0) logger.warn({ missing: now }, 'not ready');
    else logger.info('ready');
  };
  const timer = setInterval(look, checkIntervalMs).unref();
  return { stop: () => clearInterval(timer) };
};

/** Has readiness looked at: `missing` names what is missing, as for `/health/ready`. Returns what ends that. */
export const observeReadiness = (missing: () => readonly string[]): (() => void) =>
  observeGauge('colophon.ready', () => [{ value: missing().length === 0 ? 1 : 0 }]);
