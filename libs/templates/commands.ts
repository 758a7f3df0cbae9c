import type { TemplateBody, TemplateEvent } from '#contracts/events/template.ts';
import { Problem } from '#contracts/http/problem.ts';
import { bareId, streams } from '#contracts/names.ts';
import { template, TemplateRefusal, type TemplateState } from '#libs/domain/template.ts';
import { type RecordedEvent, RevisionConflict } from '#libs/event-store/port.ts';
import { begin, type Cause, load, type Log } from '#libs/handling/handle.ts';
import { releaseName, reserveName } from './names.ts';
import { oneAtATime } from './one-at-a-time.ts';

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

const busy = (): Problem => Problem.of('service_unavailable', 'The template is being changed by many at once. Try again.', { retry_after: 1 });

/** Does work that rests on a stream and on a name, again from the start when somebody else wrote in between. */
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
export const requireTemplate = async (log: Log, accountId: string, prefixed: string): Promise<{ id: string; version: number; history: RecordedEvent[] }> => {
  const id = bareId('tpl', prefixed);
  if (!id) throw templateNotFound();
  const { history, state } = await loadActive(log, accountId, id);
  return { id, version: state.version, history };
};

/** What a version of a template was; undefined where its history has none of this number. */
export const bodyOfVersion = (history: readonly RecordedEvent[], version: number): TemplateBody | undefined =>
  (history as unknown as TemplateEvent[]).flatMap((event) => (event.type === 'TemplateCreated' || event.type === 'TemplateVersioned' ? [event.data.body] : []))[version - 1];

/** A template to be: `store` puts its large parts away, and is called when the name is found to be free. */
export type Creation = { name: string; store: () => Promise<TemplateBody> };

/** Creates a template, with a new bare id, under a name that is free. @throws Problem template_name_exists */
export const createTemplate = async (log: Log, accountId: string, id: string, { name, store }: Creation, cause: Cause): Promise<Written> => {
  await reserveName(log, { accountId, name }, id, cause);
  const body = await store();
  const { position, at } = await begin(log, template, streams.template(id))
    .execute({ type: 'create', accountId, body }, cause)
    .catch((error: unknown) => {
      // The reservation took so long to be used that somebody else was given the name.
      throw error instanceof TemplateRefusal ? Problem.of('template_name_exists', `The account has a template named ${JSON.stringify(name)} already.`) : error;
    });
  return { version: 1, body, position: position!, at: at! };
};

export type Update = { ifVersion: number | null; next: (current: Active) => Promise<{ body: TemplateBody; changes: string; restoredFrom: number | null }> };

/** Makes a new version of a template. `next` says what it is to be, from the current one. @throws Problem */
export const updateTemplate = (log: Log, accountId: string, id: string, { ifVersion, next }: Update, cause: Cause): Promise<Written> =>
  inTurn(id, () =>
    untilUndisturbed(async () => {
      const { aggregate, state } = await loadActive(log, accountId, id);
      if (ifVersion !== null && ifVersion !== state.version) throw new TemplateRefusal('version_conflict', state.version);
      const { body, changes, restoredFrom } = await next(state);
      const renamed = body.name !== state.body.name;
      if (renamed) await reserveName(log, { accountId, name: body.name }, id, cause);
      const { position, at } = await aggregate.attempt({ type: 'update', ifVersion, body, changes, restoredFrom }, cause);
      if (renamed) await releaseName(log, { accountId, name: state.body.name }, id, cause);
      return { version: state.version + 1, body, position: position!, at: at! };
    }),
  );

/** Deletes a template; its name is free again. @throws Problem template_not_found */
export const deleteTemplate = (log: Log, accountId: string, id: string, ifVersion: number | null, cause: Cause): Promise<{ position: number }> =>
  inTurn(id, () =>
    untilUndisturbed(async () => {
      const { aggregate, state } = await loadActive(log, accountId, id);
      const { position } = await aggregate.attempt({ type: 'delete', ifVersion }, cause);
      await releaseName(log, { accountId, name: state.body.name }, id, cause);
      return { position: position! };
    }),
  );
