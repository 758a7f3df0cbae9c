import type { z } from 'zod';
import { type EventOf, eventSchemas } from '#contracts/events/event-schemas.ts';
import { metadata as metadataSchema, type Metadata } from '#contracts/events/metadata.ts';
import { EventTooLarge } from '#libs/event-store/port.ts';

/** An event that does not match its schema: a bug of the service. */
class InvalidEventError extends Error {
  constructor(type: string, { issues }: z.ZodError) {
    super(
      `event ${type} does not match its schema: ${issues
        .map(({ path, message }) => `${path.join('.')}: ${message}`)
        .join('; ')}`,
    );
    this.name = 'InvalidEventError';
  }
}

const parseWith = <T>(schema: z.ZodType<T>, value: unknown, type: string): T => {
  const { success, data, error } = schema.safeParse(value);
  if (!success) throw new InvalidEventError(type, error);
  return data;
};

/**
 * The event for the event log, with texts and lists truncated by its schema. Called for every event.
 * @throws InvalidEventError
 */
export const validateEvent = <Event extends EventOf>(event: Event): Event => {
  const schema: z.ZodType = eventSchemas[event.type];
  return { ...event, data: parseWith(schema, event.data, event.type) };
};

/** The same for the metadata. @throws InvalidEventError */
export const validateMetadata = (metadata: Metadata): Metadata => parseWith(metadataSchema, metadata, 'metadata');

/** Whether the event itself was rejected: a retry cannot succeed. */
export const isEventRejected = (error: unknown): error is Error =>
  error instanceof EventTooLarge || error instanceof InvalidEventError;
