import { hash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { ApiError } from '#contracts/http/api-error.ts';
import type { HealthDependencies } from '../server/dependencies.ts';
import { nameSchema, publicRoute, type Route } from '../server/route.ts';

/** What is missing before the service can take a render; empty when nothing is. */
export type Health = { missing: string[] };

const liveResponse = nameSchema('Live', z.object({ status: z.literal('live') }));
const readyResponse = nameSchema('Ready', z.object({ status: z.literal('ready') }));
const missing = z.array(z.string()).describe('What the service still waits for.');
const notReadyResponse = nameSchema('NotReady', z.object({ status: z.literal('not ready'), missing }));
const starting = { summary: 'It is starting', value: { status: 'not ready', missing: ['no browser is up yet'] } };

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

/** The time that the comparison takes tells nothing about the token. */
const isToken = (authorization: string | undefined, token: string): boolean =>
  timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${token}`));

/** For operators: is the process running, can it take a render, and what has it measured. */
export const healthRoutes: Route<HealthDependencies>[] = [
  publicRoute({
    method: 'GET',
    path: '/health/live',
    tag: 'Operation',
    summary: 'Does the process turn?',
    description: 'For whoever restarts the process when it hangs. Needs no key.',
    responses: [{ status: 200, description: 'It does.', schema: liveResponse }],
    handle: async () => ({ status: 'live' as const }),
  }),
  publicRoute({
    method: 'GET',
    path: '/health/ready',
    tag: 'Operation',
    summary: 'Can it take a render?',
    description: 'For whoever sends traffic here. Needs no key.',
    responses: [
      { status: 200, description: 'It can.', schema: readyResponse },
      { status: 503, description: 'It cannot, yet or any more.', schema: notReadyResponse, examples: { starting } },
    ],
    handle: async ({ reply }, { health }: HealthDependencies) => {
      const lacking = health().missing;
      if (lacking.length === 0) return { status: 'ready' as const };
      return reply.status(503).send({ status: 'not ready', missing: lacking });
    },
  }),
  publicRoute({
    method: 'GET',
    path: '/metrics',
    tag: 'Operation',
    summary: 'Read the metrics',
    description:
      'What this process has counted and measured, in the text format of Prometheus. Needs no key, and holds nothing of any account. Where the operator has set a metrics token, it must be sent as `Authorization: Bearer <token>`.',
    responses: [{ status: 200, description: 'The metrics.', schema: null, contentType: 'text/plain' }],
    errors: ['invalid_metrics_token'],
    handle: async ({ reply }, { telemetry, metricsToken }: HealthDependencies) => {
      if (metricsToken !== undefined && !isToken(reply.request.headers.authorization, metricsToken)) {
        const header = '"Authorization: Bearer <METRICS_TOKEN>"';
        throw ApiError.of('invalid_metrics_token', `Send ${header}, with the token that the service was started with.`);
      }
      return reply.type(telemetry.metricsContentType).send(await telemetry.metricsText());
    },
  }),
];
