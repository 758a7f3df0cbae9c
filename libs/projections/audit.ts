import { auditRules } from '#contracts/events/audit.ts';
import type { EventType } from '#contracts/events/event-schemas.ts';
import type { Actor } from '#contracts/events/metadata.ts';
import { apiKeyIdOf, personIdOf, readModels } from '#contracts/names.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { Effect, Projection } from './projection.ts';

/**
 * Where to find an event of an account. The id of the document is that of the event. `position` is text of 16 digits, so
 * that it sorts as text. The event itself is read from its stream.
 */
export type AuditDocument = {
  accountId: string;
  position: string;
  type: string;
  actor: string;
  time: string;
  stream: string;
  revision: number;
};

const positionDigits = 16;

/** A position as text that sorts like the number. */
export const positionText = (position: number): string => String(position).padStart(positionDigits, '0');

/** The actor as filters name it: `key_<id>`, `person_<id>`, `service` or `command_line`. */
export const actorKeyOf = (actor: Actor): string => {
  switch (actor.kind) {
    case 'key':
      return apiKeyIdOf(actor.id);
    case 'person':
      return actor.id === undefined ? 'command_line' : personIdOf(actor.id);
    case 'service':
      return 'service';
    default:
      return actor satisfies never;
  }
};

const recordEvent = (event: RecordedEvent): Effect<AuditDocument> | null => {
  const { id, type, metadata, position, stream, revision } = event;
  const { accountId, actor, occurredAt } = metadata;
  if (accountId === null) return null;
  return {
    id,
    createsDocument: true,
    evolve: () => ({
      accountId,
      position: positionText(position),
      type,
      actor: actorKeyOf(actor),
      time: occurredAt,
      stream,
      revision,
    }),
  };
};

/** The events of all accounts, with the fields that the filters of GET /events use. */
export const audit: Projection<AuditDocument> = {
  model: readModels.audit,
  collection: {
    name: readModels.audit,
    indexes: [
      ['accountId', 'position'],
      ['accountId', 'type', 'position'],
      ['accountId', 'actor', 'position'],
    ],
  },
  handlers: Object.fromEntries((Object.keys(auditRules) as EventType[]).map((type) => [type, recordEvent])),
};
