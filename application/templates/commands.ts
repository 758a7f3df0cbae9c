import { newAggregate, type Cause, loadAggregate, type EventLog } from '#application/command-handling/aggregate.ts';
import { isEventRejected } from '#application/command-handling/event-validation.ts';
import type { TemplateBody, TemplateEvent } from '#contracts/events/template.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { bareId, streams } from '#contracts/names.ts';
import { template, TemplateCommandError, type TemplateState } from '#libs/domain/template.ts';
import { type RecordedEvent, RevisionConflict } from '#libs/event-store/port.ts';
import { releaseName, type NameReservation, reserveName } from './name-reservations.ts';
import { freeSlot, type TemplateCapacity, takeSlot } from './slots.ts';

/**
 * Lets work under one key wait for the work before it, within this process. Only to spare conflicts: between
 * processes the expected revision decides.
 */
export const createKeyedLock = () => {
  const last = new Map<string, Promise<unknown>>();
  return <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work, work);
    const settled = mine.then(
      () => undefined,
      () => undefined,
    );
    last.set(key, settled);
    void settled.then(() => {
      if (last.get(key) === settled) last.delete(key);
    });
    return mine;
  };
};

type ActiveTemplate = Extract<TemplateState, { status: 'ACTIVE' }>;
export type TemplateWriteResult = { version: number; body: TemplateBody; position: number; at: string };

const withTemplateLock = createKeyedLock();
const maxConflictTries = 4;

/** What is said of a template that is another account's, deleted or made up. */
export const templateNotFound = (): ApiError => ApiError.of('template_not_found', 'The account has no such template.');

const toApiError = (error: unknown): unknown => {
  if (!(error instanceof TemplateCommandError)) return error;
  if (error.reason === 'not_found') return templateNotFound();
  return ApiError.of(
    'version_conflict',
    `The template is at version ${error.currentVersion} by now. Read it again before you change it.`,
    { current_version: error.currentVersion! },
  );
};

const creationTimedOut = (): ApiError =>
  ApiError.of('service_unavailable', 'The template could not be created in time. Try again.', { retry_after: 1 });
const tooManyConcurrentChanges = (): ApiError =>
  ApiError.of('service_unavailable', 'The template is being changed by many at once. Try again.', { retry_after: 1 });

/** Does work that rests on a stream and on a name; begins again when another command wrote in between. */
const retryOnConflict = async <T>(work: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw toApiError(error);
      if (attempt === maxConflictTries) throw tooManyConcurrentChanges();
    }
  }
};

const loadActive = async (eventLog: EventLog, accountId: string, id: string) => {
  const { history, aggregate } = await loadAggregate(eventLog, template, streams.template(id));
  const { state } = aggregate;
  if (state.status !== 'ACTIVE' || state.accountId !== accountId) throw templateNotFound();
  return { history, aggregate, state };
};

/** An account's template by its `tpl_<id>` as the log has it now. @throws Problem template_not_found */
export const requireTemplate = async (
  eventLog: EventLog,
  accountId: string,
  prefixed: string,
): Promise<{ id: string; version: number; history: readonly RecordedEvent<TemplateEvent>[] }> => {
  const id = bareId('tpl', prefixed);
  if (!id) throw templateNotFound();
  const { history, state } = await loadActive(eventLog, accountId, id);
  return { id, version: state.version, history };
};

/** What a version of a template was; undefined where its history has none of this number. */
export const findVersionBody = (history: readonly TemplateEvent[], version: number): TemplateBody | undefined =>
  history.flatMap((event) =>
    event.type === 'TemplateCreated' || event.type === 'TemplateVersioned' ? [event.data.body] : [],
  )[version - 1];

/** A template to be: `store` puts its large parts away, and is called when the name is free and there is room. `room` is null where the plan has no limit. */
type CreateTemplateOptions = { name: string; store: () => Promise<TemplateBody>; capacity: TemplateCapacity | null };

/** The log did not take it. After any other error it may have, and only its answer is lost. */
const isCertainlyRejected = (error: unknown): boolean =>
  error instanceof RevisionConflict || error instanceof TemplateCommandError || isEventRejected(error);

/** What a request reserved for a template that it does not make. Where this fails, the reservations end as those of a crash do. */
const releaseReservations = (
  eventLog: EventLog,
  accountId: string,
  id: string,
  name: string,
  cause: Cause,
): Promise<unknown> =>
  Promise.allSettled([releaseName(eventLog, { accountId, name }, id, cause), freeSlot(eventLog, accountId, id, cause)]);

/** Creates a template, with a new bare id, under a name that is free. @throws Problem template_name_exists, template_limit_exceeded */
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
    throw error instanceof RevisionConflict ? tooManyConcurrentChanges() : error;
  });
  try {
    const { position, at } = await newAggregate(eventLog, template, streams.template(id)).execute(
      { type: 'create', accountId, body },
      cause,
    );
    return { version: 1, body, position: position!, at: at! };
  } catch (error) {
    if (isCertainlyRejected(error)) await releaseReservations(eventLog, accountId, id, name, cause);
    // The reservations took so long to be used that they were given to another.
    throw error instanceof TemplateCommandError ? creationTimedOut() : error;
  }
};

/** The next version of a template: `store` puts its large parts away, and is called when its name is its own. */
type NextVersion = { name: string; store: () => Promise<TemplateBody>; changes: string; restoredFrom: number | null };
type UpdateTemplateOptions = {
  expectedVersion: number | null;
  next: (current: ActiveTemplate) => Promise<NextVersion>;
};

/** Makes a new version of a template. `next` says what it is to be, from the current one. @throws Problem */
export const updateTemplate = (
  eventLog: EventLog,
  accountId: string,
  id: string,
  { expectedVersion, next }: UpdateTemplateOptions,
  cause: Cause,
): Promise<TemplateWriteResult> =>
  withTemplateLock(id, async () => {
    const unused = new Map<string, NameReservation>();
    /** Whether the log may have taken the version although its answer is lost: its name stays reserved then. */
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
      if (renamed) await releaseName(eventLog, { accountId, name: state.body.name }, id, cause);
      return { version: state.version + 1, body, position: position!, at: at! };
    };
    try {
      return await retryOnConflict(makeVersion);
    } finally {
      if (!isInDoubt) await Promise.allSettled([...unused.values()].map((reservation) => reservation.release()));
    }
  });

/** Deletes a template; its name is free again. @throws Problem template_not_found */
export const deleteTemplate = (
  eventLog: EventLog,
  accountId: string,
  id: string,
  expectedVersion: number | null,
  cause: Cause,
): Promise<{ position: number }> =>
  withTemplateLock(id, () =>
    retryOnConflict(async () => {
      const { aggregate, state } = await loadActive(eventLog, accountId, id);
      const { position } = await aggregate.executeOnce({ type: 'delete', expectedVersion }, cause);
      await releaseName(eventLog, { accountId, name: state.body.name }, id, cause);
      await freeSlot(eventLog, accountId, id, cause);
      return { position: position! };
    }),
  );
