import { begin, type Cause, load, type Log } from '#application/handling/handle.ts';
import { isUnrecordable } from '#application/handling/recordable.ts';
import type { TemplateBody, TemplateEvent } from '#contracts/events/template.ts';
import { Problem } from '#contracts/http/problem.ts';
import { bareId, streams } from '#contracts/names.ts';
import { template, TemplateRefusal, type TemplateState } from '#libs/domain/template.ts';
import { type RecordedEvent, RevisionConflict } from '#libs/event-store/port.ts';
import { releaseName, type Reservation, reserveName } from './names.ts';
import { freeSlot, type Room, takeSlot } from './slots.ts';

/**
 * Lets work under one key wait for the work before it, within this process. Only to spare conflicts: between
 * processes the expected revision decides.
 */
export const oneAtATime = () => {
  const last = new Map<string, Promise<unknown>>();
  return <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work, work);
    const settled = mine.then(() => undefined, () => undefined);
    last.set(key, settled);
    void settled.then(() => {
      if (last.get(key) === settled) last.delete(key);
    });
    return mine;
  };
};

type Active = Extract<TemplateState, { status: 'ACTIVE' }>;
export type Written = { version: number; body: TemplateBody; position: number; at: string };

const inTurn = oneAtATime();
const tries = 4;

/** What is said of a template that is another account's, deleted or made up. */
export const templateNotFound = (): Problem => Problem.of('template_not_found', 'The account has no such template.');

const explained = (error: unknown): unknown => {
  if (!(error instanceof TemplateRefusal)) return error;
  if (error.refusal === 'not_found') return templateNotFound();
  return Problem.of('version_conflict', `The template is at version ${error.current} by now. Read it again before you change it.`, { current_version: error.current! });
};

const tooSlow = (): Problem => Problem.of('service_unavailable', 'The template could not be created in time. Try again.', { retry_after: 1 });
const busy = (): Problem => Problem.of('service_unavailable', 'The template is being changed by many at once. Try again.', { retry_after: 1 });

/** Does work that rests on a stream and on a name; begins again when another command wrote in between. */
const untilUndisturbed = async <T>(work: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw explained(error);
      if (attempt === tries) throw busy();
    }
  }
};

const loadActive = async (log: Log, accountId: string, id: string) => {
  const { history, aggregate } = await load(log, template, streams.template(id));
  const { state } = aggregate;
  if (state.status !== 'ACTIVE' || state.accountId !== accountId) throw templateNotFound();
  return { history, aggregate, state };
};

/** An account's template by its `tpl_<id>` as the log has it now. @throws Problem template_not_found */
export const requireTemplate = async (log: Log, accountId: string, prefixed: string): Promise<{ id: string; version: number; history: readonly RecordedEvent<TemplateEvent>[] }> => {
  const id = bareId('tpl', prefixed);
  if (!id) throw templateNotFound();
  const { history, state } = await loadActive(log, accountId, id);
  return { id, version: state.version, history };
};

/** What a version of a template was; undefined where its history has none of this number. */
export const bodyOfVersion = (history: readonly TemplateEvent[], version: number): TemplateBody | undefined =>
  history.flatMap((event) => (event.type === 'TemplateCreated' || event.type === 'TemplateVersioned' ? [event.data.body] : []))[version - 1];

/** A template to be: `store` puts its large parts away, and is called when the name is free and there is room. `room` is null where the plan has no limit. */
type Creation = { name: string; store: () => Promise<TemplateBody>; room: Room | null };

/** The log did not take it. After any other error it may have, and only its answer is lost. */
const isRefused = (error: unknown): boolean => error instanceof RevisionConflict || error instanceof TemplateRefusal || isUnrecordable(error);

/** What a request reserved for a template that it does not make. Where this fails, the reservations end as those of a crash do. */
const giveBack = (log: Log, accountId: string, id: string, name: string, cause: Cause): Promise<unknown> =>
  Promise.allSettled([releaseName(log, { accountId, name }, id, cause), freeSlot(log, accountId, id, cause)]);

/** Creates a template, with a new bare id, under a name that is free. @throws Problem template_name_exists, template_limit_exceeded */
export const createTemplate = async (log: Log, accountId: string, id: string, { name, store, room }: Creation, cause: Cause): Promise<Written> => {
  await reserveName(log, { accountId, name }, id, cause);
  const prepare = async (): Promise<TemplateBody> => {
    if (room) await takeSlot(log, accountId, id, room, cause);
    return store();
  };
  const body = await prepare().catch(async (error: unknown) => {
    await giveBack(log, accountId, id, name, cause);
    throw error instanceof RevisionConflict ? busy() : error;
  });
  try {
    const { position, at } = await begin(log, template, streams.template(id)).execute({ type: 'create', accountId, body }, cause);
    return { version: 1, body, position: position!, at: at! };
  } catch (error) {
    if (isRefused(error)) await giveBack(log, accountId, id, name, cause);
    // The reservations took so long to be used that they were given to another.
    throw error instanceof TemplateRefusal ? tooSlow() : error;
  }
};

/** The next version of a template: `store` puts its large parts away, and is called when its name is its own. */
type NextVersion = { name: string; store: () => Promise<TemplateBody>; changes: string; restoredFrom: number | null };
type Update = { ifVersion: number | null; next: (current: Active) => Promise<NextVersion> };

/** Makes a new version of a template. `next` says what it is to be, from the current one. @throws Problem */
export const updateTemplate = (log: Log, accountId: string, id: string, { ifVersion, next }: Update, cause: Cause): Promise<Written> =>
  inTurn(id, async () => {
    const unused = new Map<string, Reservation>();
    /** Whether the log may have taken the version although its answer is lost: its name stays reserved then. */
    let isInDoubt = false;
    const makeVersion = async (): Promise<Written> => {
      const { aggregate, state } = await loadActive(log, accountId, id);
      if (ifVersion !== null && ifVersion !== state.version) throw new TemplateRefusal('version_conflict', state.version);
      const { name, store, changes, restoredFrom } = await next(state);
      const renamed = name !== state.body.name;
      if (renamed) unused.set(name, await reserveName(log, { accountId, name }, id, cause));
      const body = await store();
      const { position, at } = await aggregate.attempt({ type: 'update', ifVersion, body, changes, restoredFrom }, cause).catch((error: unknown) => {
        isInDoubt = !isRefused(error);
        throw error;
      });
      unused.delete(name);
      if (renamed) await releaseName(log, { accountId, name: state.body.name }, id, cause);
      return { version: state.version + 1, body, position: position!, at: at! };
    };
    try {
      return await untilUndisturbed(makeVersion);
    } finally {
      if (!isInDoubt) await Promise.allSettled([...unused.values()].map((reservation) => reservation.release()));
    }
  });

/** Deletes a template; its name is free again. @throws Problem template_not_found */
export const deleteTemplate = (log: Log, accountId: string, id: string, ifVersion: number | null, cause: Cause): Promise<{ position: number }> =>
  inTurn(id, () =>
    untilUndisturbed(async () => {
      const { aggregate, state } = await loadActive(log, accountId, id);
      const { position } = await aggregate.attempt({ type: 'delete', ifVersion }, cause);
      await releaseName(log, { accountId, name: state.body.name }, id, cause);
      await freeSlot(log, accountId, id, cause);
      return { position: position! };
    }),
  );
