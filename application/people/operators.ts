import { ApiError } from '#contracts/http/api-error.ts';
import type { OperatorSource } from '#contracts/events/people.ts';
import { readModels, streams } from '#contracts/names.ts';
import { type Cause, type EventLog, loadAggregate } from '#application/command-handling/aggregate.ts';
import { person } from '#libs/domain/person.ts';
import type { PersonDocument } from '#libs/projections/people.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { scanPage } from '#libs/read-store/scan-page.ts';
import type { People } from './people.ts';

export type Operator = PersonDocument & { source: OperatorSource };

/**
 * A page of the people who see and change all accounts, the highest id first, with the source of their rights. `before` is
 * the last bare id of the previous page. `next` is the `before` of the next page; null on the last page. People who were
 * revoked a moment ago are left out, so a page can have fewer than `limit`.
 */
export const findOperatorPage = async (
  reads: Pick<ReadStore, 'find'>,
  { persons }: Pick<People, 'persons'>,
  { before, limit }: { before?: string | undefined; limit: number },
): Promise<{ operators: Operator[]; next: string | null }> => {
  const scan = { where: { operator: true }, before, limit };
  const { documents, next } = await scanPage<PersonDocument>(reads, readModels.people, scan, () => true);
  const states = await Promise.all(documents.map(({ id }) => persons.load(id)));
  const operators = documents.flatMap((document, index) => {
    const state = states[index]!;
    return state.status === 'REGISTERED' && state.operator !== null ? [{ ...document, source: state.operator }] : [];
  });
  return { operators, next };
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
