import type { FastifyInstance } from 'fastify';
import type { Telemetry } from '#libs/telemetry/start.ts';

/** GET /metrics, for Prometheus. */
export const registerMetricsRoute = (app: FastifyInstance, { metricsText, metricsType }: Pick<Telemetry, 'metricsText' | 'metricsType'>): void => {
  app.get('/metrics', async (_, reply) => reply.type(metricsType).send(await metricsText()));
};
