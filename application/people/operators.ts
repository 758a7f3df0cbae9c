import { ApiError } from '#contracts/http/api-error.ts';
import type { OperatorSource } from '#contracts/events/people.ts';
import { readModels, streams } from '#contracts/names.ts';
import { type Cause, type EventLog, loadAggregate } from '#application/command-handling/aggregate.ts';
import { person } from '#libs/domain/person.ts';
import type { PersonDocument } from '#libs/projections/people.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import type { People } from './people.ts';

/** More operators than an installation needs. */
const maxOperators = 100;

/** The people who see and change all accounts, and who made them operators. */
export const findOperators = async (
  reads: Pick<ReadStore, 'find'>,
  { persons }: Pick<People, 'persons'>,
): Promise<(PersonDocument & { source: OperatorSource })[]> => {
  const found = (await reads.find(readModels.people, {
    where: { operator: true },
    limit: maxOperators,
  })) as PersonDocument[];
  const states = await Promise.all(found.map(({ id }) => persons.load(id)));
  return found.flatMap((document, index) => {
    const state = states[index]!;
    return state.status === 'REGISTERED' && state.operator !== null ? [{ ...document, source: state.operator }] : [];
  });
};

/**
 * Takes the rights of an operator from a person who got them by a command, from the next request on. Resolves to the
 * position of the event.
 * @throws ApiError operator_not_found, operator_managed_by_groups
 */
export const revokeOperator = async (eventLog: EventLog, personId: string, cause: Cause): Promise<number> => {
  const { aggregate } = await loadAggregate(eventLog, person, streams.person(personId));
  const { position } = await aggregate.execute({ type: 'revokeOperator' }, cause);
  if (position !== null) return position;
  const { state } = aggregate;
  if (state.status === 'NONE' || state.operator === null)
    throw ApiError.of('operator_not_found', 'There is no operator with this id.');
  throw ApiError.of(
    'operator_managed_by_groups',
    'The groups of the identity provider make this person an operator. Change the groups there.',
  );
};
