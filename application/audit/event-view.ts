import { visibleDataOf } from '#contracts/events/audit.ts';
import type { Actor, Metadata } from '#contracts/events/metadata.ts';
import { type ErrorName, errors } from '#contracts/http/errors.ts';
import {
  accountIdOf,
  apiKeyIdOf,
  invitationIdOf,
  personIdOf,
  sessionIdOf,
  renderIdOf,
  templateIdOf,
} from '#contracts/names.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { traceIdOf } from '#libs/telemetry/traceparent.ts';

/** The actor of an event as the API returns it. */
export const actorView = ({ actor }: Pick<Metadata, 'actor'>): Actor => {
  if (actor.kind === 'key') return { kind: 'key', id: apiKeyIdOf(actor.id) };
  return actor.kind === 'person' && actor.id !== undefined ? { ...actor, id: personIdOf(actor.id) } : actor;
};

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The fields with ids, and the form of these ids in the API. */
const idForms: Readonly<Record<string, (id: string) => string>> = {
  accountId: accountIdOf,
  keyId: apiKeyIdOf,
  templateId: templateIdOf,
  repeatedFrom: renderIdOf,
  personId: personIdOf,
  sessionId: sessionIdOf,
  invitationId: invitationIdOf,
};
/** Objects with names that callers choose, such as headers and cookies, or that have the form of the API already. */
const unchangedObjects: ReadonlySet<string> = new Set(['headers', 'cookies', 'options', 'extra']);

type EventError = { name: ErrorName; message: string; extra: Record<string, unknown> };
const isEventError = (name: string, value: unknown): value is EventError =>
  name === 'error' && typeof value === 'object' && value !== null && 'extra' in value;

const fieldView = (name: string, value: unknown): unknown => {
  if (typeof value === 'string') return Object.hasOwn(idForms, name) ? idForms[name]!(value) : value;
  if (Array.isArray(value)) return value.map((item) => fieldView('', item));
  if (typeof value !== 'object' || value === null || unchangedObjects.has(name)) return value;
  if (isEventError(name, value)) return { error: errors[value.name].error, message: value.message, ...value.extra };
  return fieldsView(value);
};

const fieldsView = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [snakeCase(name), fieldView(name, value)]));

/**
 * The visible data of an event in the form of the API: names in snake case, ids with their prefixes, errors by their
 * codes.
 */
export const eventDataView = ({ type, data }: { type: string; data: object }): Record<string, unknown> =>
  fieldsView(visibleDataOf(type, data));

/** An event of a history as the API returns it. */
export const eventView = ({ id, type, revision, data, metadata }: RecordedEvent) => ({
  id,
  type,
  revision,
  time: metadata.occurredAt,
  actor: actorView(metadata),
  trace_id: traceIdOf(metadata.traceparent),
  request_id: metadata.correlationId,
  data: eventDataView({ type, data }),
});
