import { createHash } from 'node:crypto';
import { ApiError } from '#contracts/http/api-error.ts';
import { streams } from '#contracts/names.ts';
import { isRecent } from '#libs/time/is-recent.ts';
import { template } from '#libs/domain/template.ts';
import { templateName } from '#libs/domain/template-name.ts';
import { type RecordedEvent, RevisionConflict } from '#libs/event-store/port.ts';
import { type Cause, loadAggregate, type EventLog } from '#application/command-handling/aggregate.ts';

export type AccountTemplateName = { accountId: string; name: string };

/** For so long a reservation counts although its template does not bear the name: the request that made it may still be running. */
const reservationTimeoutMs = 10_000;

const nameStream = ({ accountId, name }: AccountTemplateName): string =>
  streams.templateName(createHash('sha256').update(`${accountId}\n${name}`).digest('hex'));

const nameExists = ({ name }: AccountTemplateName): ApiError =>
  ApiError.of('template_name_exists', `The account has a template named ${JSON.stringify(name)} already.`);

const reservedAt = (history: readonly RecordedEvent[]): string => history.at(-1)!.metadata.occurredAt;

/** Makes sure, by an event in its stream, that a template will never come to bear a name that it once reserved. False when it does bear it. */
const cancelNameReservation = async (
  eventLog: EventLog,
  templateId: string,
  name: string,
  cause: Cause,
): Promise<boolean> => {
  const { aggregate } = await loadAggregate(eventLog, template, streams.template(templateId));
  await aggregate.execute({ type: 'cancelNameReservation', name }, cause);
  const { state } = aggregate;
  return !(state.status === 'ACTIVE' && state.body.name === name);
};

/** A name that a request holds for a template. `release` frees it, unless the template bears it by now or another request has reserved it for the template since. */
export type NameReservation = { release(): Promise<void> };

/**
 * Reserves a name for a template. A reservation whose request died half-way is taken over.
 * @throws Problem template_name_exists
 */
export const reserveName = async (
  eventLog: EventLog,
  wish: AccountTemplateName,
  templateId: string,
  cause: Cause,
): Promise<NameReservation> => {
  const { history, aggregate } = await loadAggregate(eventLog, templateName, nameStream(wish));
  const reserve = (forgoneBy: string | null) =>
    aggregate.execute({ type: 'reserve', ...wish, templateId, cancelledBy: forgoneBy }, cause);
  const isMine = (): boolean => aggregate.state.status === 'RESERVED' && aggregate.state.templateId === templateId;
  const reservation: NameReservation = {
    release: async () => {
      if (!(await cancelNameReservation(eventLog, templateId, wish.name, cause))) return;
      await aggregate.executeOnce({ type: 'release', templateId }, cause).catch((error: unknown) => {
        if (!(error instanceof RevisionConflict)) throw error;
      });
    },
  };
  await reserve(null);
  if (isMine()) return reservation;
  const { state } = aggregate;
  if (
    state.status !== 'RESERVED' ||
    history.length === 0 ||
    isRecent(reservedAt(history), eventLog.now(), reservationTimeoutMs)
  )
    throw nameExists(wish);
  if (!(await cancelNameReservation(eventLog, state.templateId, wish.name, cause))) throw nameExists(wish);
  await reserve(state.templateId);
  if (!isMine()) throw nameExists(wish);
  return reservation;
};

/** Frees a name, where the template holds it. */
export const releaseName = async (
  eventLog: EventLog,
  held: AccountTemplateName,
  templateId: string,
  cause: Cause,
): Promise<void> => {
  const { aggregate } = await loadAggregate(eventLog, templateName, nameStream(held));
  await aggregate.execute({ type: 'release', templateId }, cause);
};
