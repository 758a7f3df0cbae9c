import Fastify from 'fastify';
import { ApiError } from '#contracts/http/api-error.ts';
import type { Settings } from '#libs/config/settings.ts';
import type { Logger } from '#libs/telemetry/logger.ts';
import { observeGauge } from '#libs/telemetry/metrics.ts';
import type { Telemetry } from '#libs/telemetry/telemetry.ts';
import { newRequestId } from '#libs/ids/ulids.ts';
import { healthRoutes } from '../api/health/routes.ts';
import type { HealthDependencies } from '../api/server/dependencies.ts';
import { internalError, sendError } from '../api/server/errors.ts';
import { limitPipelining } from '../api/server/pipelining.ts';
import { registerRoutes } from '../api/server/register-routes.ts';
import { decorateRequests } from '../api/server/request.ts';
import { schemaController } from '../api/server/schema-controller.ts';
import { handleUnknownRoutes } from '../api/server/unknown-routes.ts';
import { healthAddress, type HttpServer, listenAt } from './listen.ts';

/** Serves `/health/live`, `/health/ready` and `/metrics` in a process without an API. */
export const startHealthServer = async (
  settings: Pick<Settings, 'host' | 'port' | 'healthPort' | 'metricsToken'>,
  telemetry: Telemetry,
  health: HealthDependencies['health'],
): Promise<HttpServer> => {
  const app = Fastify({ genReqId: newRequestId, return503OnClosing: false, schemaController });
  limitPipelining(app);
  decorateRequests(app);
  app.addHook('onRequest', async (request, reply) => void reply.header('x-request-id', request.id));
  handleUnknownRoutes(app);
  app.setErrorHandler((error, _, reply) => sendError(reply, error instanceof ApiError ? error.fields : internalError));
  registerRoutes(app, healthRoutes, { health, telemetry, metricsToken: settings.metricsToken });
  const address = healthAddress(settings);
  await listenAt(address, () => app.listen(address));
  return { address: () => app.server.address(), stop: () => app.close() };
};

const checkIntervalMs = 1_000;

/** Logs whenever the readiness of the process changes, with the reasons. */
export const logReadiness = (missing: () => string[], logger: Logger): { stop(): void } => {
  let logged = '[]';
  const check = (): void => {
    const problems = missing();
    if (JSON.stringify(problems) === logged) return;
    logged = JSON.stringify(problems);
    if (problems.length > 0) logger.warn({ missing: problems }, 'not ready');
    else logger.info('ready');
  };
  const timer = setInterval(check, checkIntervalMs).unref();
  return { stop: () => clearInterval(timer) };
};

/** Reports readiness as a gauge; `missing` as for `/health/ready`. Returns a function that stops it. */
export const observeReadiness = (missing: () => readonly string[]): (() => void) =>
  observeGauge('colophon.ready', () => [{ value: missing().length === 0 ? 1 : 0 }]);
