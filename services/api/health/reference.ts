import { z } from 'zod';
import { named, type Route } from '../server/route.ts';

const live = named('Live', z.object({ status: z.literal('live') }));
const ready = named('Ready', z.object({ status: z.literal('ready') }));
const notReady = named('NotReady', z.object({ status: z.literal('not ready'), missing: z.array(z.string()).describe('What the service still waits for.') }));

export const healthRoutes: Route[] = [
  {
    method: 'GET',
    path: '/health/live',
    tag: 'Operation',
    summary: 'Does the process turn?',
    description: 'For whoever restarts the process when it hangs. Needs no key.',
    responses: [{ status: 200, description: 'It does.', schema: live }],
    errors: [],
  },
  {
    method: 'GET',
    path: '/health/ready',
    tag: 'Operation',
    summary: 'Can it take a render?',
    description: 'For whoever sends traffic here. Needs no key.',
    responses: [
      { status: 200, description: 'It can.', schema: ready },
      { status: 503, description: 'It cannot, yet or any more.', schema: notReady, examples: { starting: { summary: 'It is starting', value: { status: 'not ready', missing: ['no browser is up yet'] } } } },
    ],
    errors: [],
  },
  {
    method: 'GET',
    path: '/metrics',
    tag: 'Operation',
    summary: 'Read the metrics',
    description: 'What this process has counted and measured, in the text format of Prometheus. Needs no key, and holds nothing of any account. Where the operator has set a metrics token, it must be sent as `Authorization: Bearer <token>`.',
    responses: [{ status: 200, description: 'The metrics.', schema: null, bytes: 'text/plain' }],
    errors: ['invalid_metrics_token'],
  },
];
