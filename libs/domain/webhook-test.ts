import type { EventData } from '#contracts/events/event-schemas.ts';
import type { WebhookTestEvent } from '#contracts/events/webhook-test.ts';
import type { Decider } from './decider.ts';

type WebhookTestState = { status: 'NONE' } | { status: 'TESTED' };
type WebhookTestCommand = { type: 'record'; data: EventData['WebhookTested'] };

/** A sample callback, recorded once. */
export const webhookTest: Decider<WebhookTestState, WebhookTestCommand, WebhookTestEvent> = {
  initial: { status: 'NONE' },
  evolve: () => ({ status: 'TESTED' }),
  decide: ({ data }, { status }) => (status === 'NONE' ? [{ type: 'WebhookTested', data }] : []),
};
