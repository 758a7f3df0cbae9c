import type { z } from 'zod';
import { accountEvents, apiKeyEvents } from './account.ts';
import { deliveryEvents } from './delivery.ts';
import { idempotencyEvents } from './idempotency.ts';
import { installationEvents } from './installation.ts';
import { renderEvents } from './render.ts';
import { templateEvents, templateNameEvents, templateSlotEvents } from './template.ts';

/** The schema of every event that the log can hold, by its type. */
export const eventSchemas = {
  ...accountEvents,
  ...apiKeyEvents,
  ...deliveryEvents,
  ...idempotencyEvents,
  ...installationEvents,
  ...renderEvents,
  ...templateEvents,
  ...templateNameEvents,
  ...templateSlotEvents,
} as const;

export type EventType = keyof typeof eventSchemas;

/** The data of each event, by its type. */
export type EventData = { [T in EventType]: z.output<(typeof eventSchemas)[T]> };

/** An event of one of the types `T`, as a decider returns it: a union that its `type` tells apart. */
export type EventOf<T extends EventType = EventType> = { [K in T]: { type: K; data: EventData[K] } }[T];

/** Whether the log can hold events of this type: it may come from a later release, or from another program. */
export const isEventType = (type: string): type is EventType => Object.hasOwn(eventSchemas, type);
