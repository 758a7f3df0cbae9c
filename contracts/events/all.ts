import type { z } from 'zod';
import { accountEvents, apiKeyEvents } from './account.ts';
import { deliveryEvents } from './delivery.ts';
import { idempotencyEvents } from './idempotency.ts';
import { installationEvents } from './installation.ts';
import { renderEvents } from './render.ts';
import { templateEvents, templateNameEvents, templateSlotEvents } from './template.ts';

/** The schema of every event that the log can hold, by its type. */
export const eventSchemas: ReadonlyMap<string, z.ZodType> = new Map(
  Object.entries({ ...accountEvents, ...apiKeyEvents, ...deliveryEvents, ...idempotencyEvents, ...installationEvents, ...renderEvents, ...templateEvents, ...templateNameEvents, ...templateSlotEvents }),
);
