import { hash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { ApiError } from '#contracts/http/api-error.ts';
import type { HealthDependencies } from '../server/dependencies.ts';
import { nameSchema, publicRoute, type Route, ok } from '../server/route.ts';

const liveResponse = nameSchema('Live', z.object({ status: z.literal('live') }));
const readyResponse = nameSchema(
  'Ready',
  z.object({
    status: z.literal('ready'),
    limitations: z
      .array(z.string())
      .optional()
      .describe('What this machine cannot do, and how to mend it, such as to install LibreOffice. Absent if nothing.'),
  }),
);
const missingSchema = z.array(z.string()).describe('What the service is waiting for.');
const notReadyResponse = nameSchema('NotReady', z.object({ status: z.literal('not ready'), missing: missingSchema }));
const starting = {
  summary: 'The service is starting',
  value: { status: 'not ready', missing: ['no browser is running yet'] },
};

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

/** Compares in constant time. */
const isToken = (authorization: string | undefined, token: string): boolean =>
  timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${token}`));

/** Probes and metrics for operators. */
export const healthRoutes: Route<HealthDependencies>[] = [
  publicRoute({
    method: 'GET',
    path: '/health/live',
    operationId: 'getLiveness',
    tag: 'Operation',
    summary: 'Liveness probe',
    description: 'Reports that the process is running. Needs no key.',
    responses: [ok('The process is running.', liveResponse)],
    handle: async () => ({ status: 'live' as const }),
  }),
  publicRoute({
    method: 'GET',
    path: '/health/ready',
    operationId: 'getReadiness',
    tag: 'Operation',
    summary: 'Readiness probe',
    description: 'Reports whether the service can accept a render. Needs no key.',
    responses: [
      ok('The service is ready.', readyResponse),
      { status: 503, description: 'The service is not ready.', schema: notReadyResponse, examples: { starting } },
    ],
    handle: async ({ reply }, { health }: HealthDependencies) => {
      const { missing, limitations } = health();
      if (missing.length === 0) return { status: 'ready' as const, ...(limitations.length > 0 && { limitations }) };
      return reply.status(503).send({ status: 'not ready', missing });
    },
  }),
  publicRoute({
    method: 'GET',
    path: '/metrics',
    operationId: 'getMetrics',
    tag: 'Operation',
    summary: 'Read the metrics',
    description:
      'The metrics of this process in the text format of Prometheus. Needs no key and contains no data of accounts. If ' +
      'the operator has set a metrics token, send it as `Authorization: Bearer <token>`.',
    responses: [{ status: 200, description: 'The metrics.', schema: null, contentType: 'text/plain' }],
    errors: ['invalid_metrics_token'],
    handle: async ({ reply }, { telemetry, metricsToken }: HealthDependencies) => {
      if (metricsToken !== undefined && !isToken(reply.request.headers.authorization, metricsToken)) {
        const header = '"Authorization: Bearer <METRICS_TOKEN>"';
        throw ApiError.of('invalid_metrics_token', `Send ${header} with the token from the settings of the service.`);
      }
      return reply.type(telemetry.metricsContentType).send(await telemetry.metricsText());
    },
  }),
];
