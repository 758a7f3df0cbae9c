import type { z } from 'zod';
import { type EventOf, eventSchemas } from '#contracts/events/event-schemas.ts';
import { metadata as metadataSchema, type Metadata } from '#contracts/events/metadata.ts';
import { EventTooLarge } from '#libs/event-store/port.ts';

/** An event that is not as its schema in the contracts has it: a mistake of the service. */
export class InvalidEventError extends Error {
  constructor(type: string, { issues }: z.ZodError) {
    super(
      `event ${type} does not match its schema: ${issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')}`,
    );
    this.name = 'MalformedEvent';
  }
}

const parseWith = <T>(schema: z.ZodType<T>, value: unknown, type: string): T => {
  const { success, data, error } = schema.safeParse(value);
  if (!success) throw new InvalidEventError(type, error);
  return data;
};

/**
 * The event as it goes into the log: its schema cuts texts and lists to the length that an event has room for. Every event passes here.
 * @throws MalformedEvent
 */
export const validateEvent = <Event extends EventOf>(event: Event): Event => {
  const schema: z.ZodType = eventSchemas[event.type];
  return { ...event, data: parseWith(schema, event.data, event.type) };
};

/** The same for what every event carries beside its data. @throws MalformedEvent */
export const validateMetadata = (metadata: Metadata): Metadata => parseWith(metadataSchema, metadata, 'metadata');

/** Whether the log refused an event for what it is: no second attempt can succeed. */
export const isEventRejected = (error: unknown): error is Error =>
  error instanceof EventTooLarge || error instanceof InvalidEventError;
