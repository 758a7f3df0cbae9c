import type { z } from 'zod';
import { accountEvents, apiKeyEvents } from './account.ts';
import { deliveryEvents } from './delivery.ts';
import { idempotencyEvents } from './idempotency.ts';
import { installationEvents } from './installation.ts';
import { memberEvents } from './members.ts';
import { personEvents, sessionEvents, signInLinkEvents } from './people.ts';
import { renderEvents } from './render.ts';
import { templateEvents, templateNameEvents, templateSlotEvents } from './template.ts';
import { webhookTestEvents } from './webhook-test.ts';

/** The schemas of all events by type. */
export const eventSchemas = {
  ...accountEvents,
  ...apiKeyEvents,
  ...deliveryEvents,
  ...idempotencyEvents,
  ...installationEvents,
  ...memberEvents,
  ...personEvents,
  ...sessionEvents,
  ...signInLinkEvents,
  ...renderEvents,
  ...templateEvents,
  ...templateNameEvents,
  ...templateSlotEvents,
  ...webhookTestEvents,
} as const;

export type EventType = keyof typeof eventSchemas;

/** The data of each event by type. */
export type EventData = { [T in EventType]: z.output<(typeof eventSchemas)[T]> };

/** An event of one of the types `T`, as a decider returns it: a union discriminated by `type`. */
export type EventOf<T extends EventType = EventType> = { [K in T]: { type: K; data: EventData[K] } }[T];

/** False for an event type of a later release or of another program. */
export const isEventType = (type: string): type is EventType => Object.hasOwn(eventSchemas, type);
