import { createHash } from 'node:crypto';
import { ApiError } from '#contracts/http/api-error.ts';
import { streams } from '#contracts/names.ts';
import { isRecent } from '#libs/time/is-recent.ts';
import { template } from '#libs/domain/template.ts';
import { templateName } from '#libs/domain/template-name.ts';
import { RevisionConflict } from '#libs/event-store/port.ts';
import { type Cause, loadRememberedAggregate, type EventLog } from '#application/command-handling/aggregate.ts';

export type AccountTemplateName = { accountId: string; name: string };

/** A reservation without a template of that name is valid for this time, since its request may still be running. */
const reservationTimeoutMs = 10_000;

const nameStream = ({ accountId, name }: AccountTemplateName): string =>
  streams.templateName(createHash('sha256').update(`${accountId}\n${name}`).digest('hex'));

const nameExists = ({ name }: AccountTemplateName): ApiError =>
  ApiError.of('template_name_exists', `The account already has a template named ${JSON.stringify(name)}.`);

/** Records in the template's stream that it will not use a reserved name. False if it has the name. */
const cancelNameReservation = async (
  eventLog: EventLog,
  templateId: string,
  name: string,
  cause: Cause,
): Promise<boolean> => {
  const { aggregate } = await loadRememberedAggregate(eventLog, template, streams.template(templateId));
  await aggregate.execute({ type: 'cancelNameReservation', name }, cause);
  const { state } = aggregate;
  return !(state.status === 'ACTIVE' && state.body.name === name);
};

/**
 * A name that a request has reserved for a template. `release` frees it, unless the template has the name or another
 * request has reserved it for the template.
 */
export type NameReservation = { release(): Promise<void> };

/**
 * Reserves a name for a template. Takes over the reservation of a request that did not finish.
 * @throws ApiError template_name_exists
 */
export const reserveName = async (
  eventLog: EventLog,
  accountName: AccountTemplateName,
  templateId: string,
  cause: Cause,
): Promise<NameReservation> => {
  const { last, aggregate } = await loadRememberedAggregate(eventLog, templateName, nameStream(accountName));
  const reserve = (cancelledBy: string | null) =>
    aggregate.execute({ type: 'reserve', ...accountName, templateId, cancelledBy }, cause);
  const isReserved = (): boolean => aggregate.state.status === 'RESERVED' && aggregate.state.templateId === templateId;
  const reservation: NameReservation = {
    release: async () => {
      if (!(await cancelNameReservation(eventLog, templateId, accountName.name, cause))) return;
      await aggregate.executeOnce({ type: 'release', templateId }, cause).catch((error: unknown) => {
        if (!(error instanceof RevisionConflict)) throw error;
      });
    },
  };
  await reserve(null);
  if (isReserved()) return reservation;
  const { state } = aggregate;
  if (
    state.status !== 'RESERVED' ||
    last === undefined ||
    isRecent(last.metadata.occurredAt, eventLog.now(), reservationTimeoutMs)
  )
    throw nameExists(accountName);
  if (!(await cancelNameReservation(eventLog, state.templateId, accountName.name, cause)))
    throw nameExists(accountName);
  await reserve(state.templateId);
  if (!isReserved()) throw nameExists(accountName);
  return reservation;
};

/** Frees a name if the template holds it. */
export const releaseName = async (
  eventLog: EventLog,
  accountName: AccountTemplateName,
  templateId: string,
  cause: Cause,
): Promise<void> => {
  const { aggregate } = await loadRememberedAggregate(eventLog, templateName, nameStream(accountName));
  await aggregate.execute({ type: 'release', templateId }, cause);
};
