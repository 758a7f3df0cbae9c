import { createHash } from 'node:crypto';
import { Problem } from '#contracts/http/problem.ts';
import { streams } from '#contracts/names.ts';
import { isRecent } from '#libs/clock/clock.ts';
import { template } from '#libs/domain/template.ts';
import { templateName } from '#libs/domain/template-name.ts';
import { type RecordedEvent, RevisionConflict } from '#libs/event-store/port.ts';
import { type Cause, load, type Log } from '#application/handling/handle.ts';

export type NameOf = { accountId: string; name: string };

/** For so long a reservation counts although its template does not bear the name: the request that made it may still be running. */
const graceMs = 10_000;

const streamOf = ({ accountId, name }: NameOf): string =>
  streams.templateName(createHash('sha256').update(`${accountId}\n${name}`).digest('hex'));

const taken = ({ name }: NameOf): Problem => Problem.of('template_name_exists', `The account has a template named ${JSON.stringify(name)} already.`);

const reservedAt = (history: readonly RecordedEvent[]): string => history.at(-1)!.metadata.occurredAt;

/** Makes sure, by an event in its stream, that a template will never come to bear a name that it once reserved. False when it does bear it. */
const forgo = async (log: Log, templateId: string, name: string, cause: Cause): Promise<boolean> => {
  const { aggregate } = await load(log, template, streams.template(templateId));
  await aggregate.execute({ type: 'forgoName', name }, cause);
  const { state } = aggregate;
  return !(state.status === 'ACTIVE' && state.body.name === name);
};

/** A name that a request holds for a template. `release` frees it, unless the template bears it by now or another request has reserved it for the template since. */
export type Reservation = { release(): Promise<void> };

/**
 * Reserves a name for a template. A reservation whose request died half-way is taken over.
 * @throws Problem template_name_exists
 */
export const reserveName = async (log: Log, wish: NameOf, templateId: string, cause: Cause): Promise<Reservation> => {
  const { history, aggregate } = await load(log, templateName, streamOf(wish));
  const reserve = (forgoneBy: string | null) => aggregate.execute({ type: 'reserve', ...wish, templateId, forgoneBy }, cause);
  const isMine = (): boolean => aggregate.state.status === 'RESERVED' && aggregate.state.templateId === templateId;
  const reservation: Reservation = {
    release: async () => {
      if (!(await forgo(log, templateId, wish.name, cause))) return;
      await aggregate.attempt({ type: 'release', templateId }, cause).catch((error: unknown) => {
        if (!(error instanceof RevisionConflict)) throw error;
      });
    },
  };
  await reserve(null);
  if (isMine()) return reservation;
  const { state } = aggregate;
  if (state.status !== 'RESERVED' || history.length === 0 || isRecent(reservedAt(history), log.now(), graceMs)) throw taken(wish);
  if (!(await forgo(log, state.templateId, wish.name, cause))) throw taken(wish);
  await reserve(state.templateId);
  if (!isMine()) throw taken(wish);
  return reservation;
};

/** Frees a name, where the template holds it. */
export const releaseName = async (log: Log, held: NameOf, templateId: string, cause: Cause): Promise<void> => {
  const { aggregate } = await load(log, templateName, streamOf(held));
  await aggregate.execute({ type: 'release', templateId }, cause);
};
