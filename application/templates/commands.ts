import {
  newAggregate,
  type Cause,
  loadRememberedAggregate,
  type EventLog,
  isCertainlyNotAppended,
} from '#application/command-handling/aggregate.ts';
import { createTurns } from '#application/command-handling/execute-in-turn.ts';
import { readInPages } from '#application/command-handling/history.ts';
import type { EventOf } from '#contracts/events/event-schemas.ts';
import type { TemplateBody } from '#contracts/events/template.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { bareId, streams } from '#contracts/names.ts';
import { template, TemplateCommandError, type TemplateState } from '#libs/domain/template.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { releaseName, type NameReservation, reserveName } from './name-reservations.ts';
import { freeSlot, type TemplateCapacity, takeSlot } from './slots.ts';

type ActiveTemplate = Extract<TemplateState, { status: 'ACTIVE' }>;
export type TemplateWriteResult = { version: number; body: TemplateBody; position: number; at: string };

const inTurn = createTurns();

export const templateNotFound = (hint = ''): ApiError =>
  ApiError.of('template_not_found', `The account has no such template.${hint}`);

const toApiError = (error: unknown): unknown => {
  if (!(error instanceof TemplateCommandError)) return error;
  if (error.reason === 'not_found') return templateNotFound();
  return ApiError.of(
    'version_conflict',
    `The template is now at version ${error.currentVersion}. Read it again before you change it.`,
    { current_version: error.currentVersion! },
  );
};

const creationTimedOut = (): ApiError =>
  ApiError.of(
    'service_unavailable',
    'The template could not be created in time. Try again, with another Idempotency-Key if there was one.',
    { retry_after: 1 },
  );

const changeTemplate = <T>(id: string, work: () => Promise<T>): Promise<T> =>
  inTurn(id, work).catch((error: unknown) => {
    throw toApiError(error);
  });

const loadActive = async (eventLog: EventLog, accountId: string, id: string) => {
  const { aggregate } = await loadRememberedAggregate(eventLog, template, streams.template(id));
  const { state } = aggregate;
  if (state.status !== 'ACTIVE' || state.accountId !== accountId) throw templateNotFound();
  return { aggregate, state };
};

/** Loads an account's template by its `tpl_<id>` from the event log. @throws ApiError template_not_found */
export const requireTemplate = async (
  eventLog: EventLog,
  accountId: string,
  prefixed: string,
): Promise<{ id: string; version: number }> => {
  const id = bareId('tpl', prefixed);
  if (!id) throw templateNotFound();
  const { state } = await loadActive(eventLog, accountId, id);
  return { id, version: state.version };
};

/** The events that made the versions `from` to `to` of a template, by the number of the version, and maybe later ones. */
export const readVersionEvents = async ({ store }: EventLog, id: string, from: number, to: number) => {
  const found = new Map<number, RecordedEvent<EventOf<'TemplateCreated' | 'TemplateVersioned'>>>();
  // Each version has an event of its own, so that of version 5 has at least the revision 4.
  for await (const page of readInPages(store, streams.template(id), from - 1)) {
    for (const event of page)
      if (event.type === 'TemplateCreated') found.set(1, event);
      else if (event.type === 'TemplateVersioned') found.set(event.data.version, event);
    if (found.has(to)) break;
  }
  return found;
};

/**
 * `store` stores the large parts; it is called when the name and a slot are reserved. `capacity` is null if the plan
 * has no limit.
 */
type CreateTemplateOptions = { name: string; store: () => Promise<TemplateBody>; capacity: TemplateCapacity | null };

const isCertainlyRejected = (error: unknown): boolean =>
  error instanceof TemplateCommandError || isCertainlyNotAppended(error);

/**
 * Frees name and slot of a template that is not created, or is deleted. If this fails, they expire like those of a crashed
 * request.
 */
const releaseReservations = (
  eventLog: EventLog,
  accountId: string,
  id: string,
  name: string,
  cause: Cause,
): Promise<unknown> =>
  Promise.allSettled([releaseName(eventLog, { accountId, name }, id, cause), freeSlot(eventLog, accountId, id, cause)]);

/** Creates a template with a new bare id. @throws ApiError template_name_exists, template_limit_exceeded */
export const createTemplate = async (
  eventLog: EventLog,
  accountId: string,
  id: string,
  { name, store, capacity }: CreateTemplateOptions,
  cause: Cause,
): Promise<TemplateWriteResult> => {
  await reserveName(eventLog, { accountId, name }, id, cause);
  const prepare = async (): Promise<TemplateBody> => {
    if (capacity) await takeSlot(eventLog, accountId, id, capacity, cause);
    return store();
  };
  const body = await prepare().catch(async (error: unknown) => {
    await releaseReservations(eventLog, accountId, id, name, cause);
    throw error;
  });
  try {
    const { position, at } = await newAggregate(eventLog, template, streams.template(id)).execute(
      { type: 'create', accountId, body },
      cause,
    );
    return { version: 1, body, position: position!, at: at! };
  } catch (error) {
    if (isCertainlyRejected(error)) await releaseReservations(eventLog, accountId, id, name, cause);
    // The reservations have expired and were given to another template.
    throw error instanceof TemplateCommandError ? creationTimedOut() : error;
  }
};

/** `store` stores the large parts; it is called when the name is reserved. */
type NextVersion = { name: string; store: () => Promise<TemplateBody>; changes: string; restoredFrom: number | null };
export type UpdateTemplateOptions = {
  expectedVersion: number | null;
  next: (current: ActiveTemplate) => Promise<NextVersion>;
};

/** Creates a new version of a template. `next` returns it for the current version. @throws ApiError */
export const updateTemplate = async (
  eventLog: EventLog,
  accountId: string,
  id: string,
  { expectedVersion, next }: UpdateTemplateOptions,
  cause: Cause,
): Promise<TemplateWriteResult> => {
  const unused = new Map<string, NameReservation>();
  /** The version may have been appended although the reply is lost. Then its name stays reserved. */
  let isInDoubt = false;
  const makeVersion = async (): Promise<TemplateWriteResult> => {
    const { aggregate, state } = await loadActive(eventLog, accountId, id);
    if (expectedVersion !== null && expectedVersion !== state.version)
      throw new TemplateCommandError('version_conflict', state.version);
    const { name, store, changes, restoredFrom } = await next(state);
    const renamed = name !== state.body.name;
    if (renamed) unused.set(name, await reserveName(eventLog, { accountId, name }, id, cause));
    const body = await store();
    const { position, at } = await aggregate
      .executeOnce({ type: 'update', expectedVersion, body, changes, restoredFrom }, cause)
      .catch((error: unknown) => {
        isInDoubt = !isCertainlyRejected(error);
        throw error;
      });
    unused.delete(name);
    // If this fails, the earlier name expires like that of a crashed request. The version exists.
    if (renamed) await releaseName(eventLog, { accountId, name: state.body.name }, id, cause).catch(() => undefined);
    return { version: state.version + 1, body, position: position!, at: at! };
  };
  try {
    return await changeTemplate(id, makeVersion);
  } finally {
    if (!isInDoubt) await Promise.allSettled([...unused.values()].map((reservation) => reservation.release()));
  }
};

/** Deletes a template and frees its name. @throws ApiError template_not_found */
export const deleteTemplate = async (
  eventLog: EventLog,
  accountId: string,
  id: string,
  expectedVersion: number | null,
  cause: Cause,
): Promise<{ position: number }> => {
  const { name, position } = await changeTemplate(id, async () => {
    const { aggregate, state } = await loadActive(eventLog, accountId, id);
    const { position } = await aggregate.executeOnce({ type: 'delete', expectedVersion }, cause);
    return { name: state.body.name, position: position! };
  });
  // The template is deleted, whether this succeeds or not.
  await releaseReservations(eventLog, accountId, id, name, cause);
  return { position };
};
