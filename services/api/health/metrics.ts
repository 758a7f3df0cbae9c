import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { Problem } from '#contracts/http/problem.ts';
import type { Telemetry } from '#libs/telemetry/start.ts';

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

/** Compares in a time that tells nothing of the token. */
const isToken = (authorization: string | undefined, token: string): boolean => timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${token}`));

/** GET /metrics, for Prometheus; with a token, for those alone who send it. */
export const registerMetricsRoute = (app: FastifyInstance, { metricsText, metricsType }: Pick<Telemetry, 'metricsText' | 'metricsType'>, token?: string): void => {
  app.get('/metrics', async (request, reply) => {
    if (token !== undefined && !isToken(request.headers.authorization, token)) throw Problem.of('invalid_metrics_token', 'Send "Authorization: Bearer <METRICS_TOKEN>", with the token that the service was started with.');
    return reply.type(metricsType).send(await metricsText());
  });
};
