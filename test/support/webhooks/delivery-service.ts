import { createAttemptSchedule } from '#application/deliveries/attempt-schedule.ts';
import { deliverWebhook, type DeliveryDependencies } from '#application/deliveries/deliver-webhook.ts';
import type { WebhookRequest, WebhookResult } from '#libs/egress/egress.ts';
import type { EmbeddedEngines } from '../api/embedded-engines.ts';

export const deliverySecrets = { current: Buffer.alloc(32, 7), previous: [] };
/** Every attempt starts at once. */
export const freeConnections: DeliveryDependencies['connections'] = { add: (_, attempt) => attempt() };
export const responded = (status: number): WebhookResult => ({
  kind: 'responded',
  status,
  headers: { 'content-type': 'text/plain', 'set-cookie': ['session=1'] },
  body: 'x'.repeat(2048),
  durationMs: 3.4,
});
export const timedOut: WebhookResult = {
  kind: 'timeout',
  reason: 'example.com accepted the request and did not respond within 10 s.',
  durationMs: 10_000,
};

/** A delivery worker with a receiver that responds as `respond` says. `calls` records the requests. */
export const deliveryServiceOn = (
  { eventLog, clock, engines: { blobs, reads } }: EmbeddedEngines,
  respond: (nth: number, call: WebhookRequest) => WebhookResult | Promise<WebhookResult>,
) => {
  const calls: WebhookRequest[] = [];
  const dependencies: DeliveryDependencies = {
    eventLog,
    blobs,
    reads,
    secrets: deliverySecrets,
    attemptSchedule: createAttemptSchedule(() => clock.uptimeMs),
    baseUrl: 'https://pdf.example',
    connections: freeConnections,
    egress: { sendWebhook: async (call) => respond(calls.push(call), call) },
  };
  return {
    calls,
    dependencies,
    deliver: (id: string, deliveryCount?: number) => deliverWebhook(dependencies, id, deliveryCount),
  };
};
