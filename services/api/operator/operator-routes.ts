import { z } from 'zod';
import { ApiError } from '#contracts/http/api-error.ts';
import { listOperatorsQuery, operatorListResponse } from '#contracts/http/operator.ts';
import { bareId, personIdOf, readModels } from '#contracts/names.ts';
import { findOperatorPage, revokeOperator } from '#application/people/operators.ts';
import { nameSchema, type Route, sessionRoute, noContent, ok } from '../server/route.ts';

const tag = 'Operation';
const session = 'operator';

const listOperators = sessionRoute({
  method: 'GET',
  path: '/api/v1/operator/operators',
  operationId: 'listOperators',
  tag,
  summary: 'List the operators',
  description: 'For signed-in operators. Lists the people who see and change all accounts.',
  session,
  request: { query: listOperatorsQuery },
  responses: [ok('A page of operators.', nameSchema('OperatorList', operatorListResponse))],
  handle: async ({ person: { personId }, query: { limit, cursor } }, { reads, people, readYourWrites }) => {
    await readYourWrites.waitForWrites(personId, readModels.people);
    const before = cursor === undefined ? undefined : bareId('person', cursor);
    const { operators, next } = await findOperatorPage(reads, people, { before, limit });
    return {
      operators: operators.map(({ id, name, email, source, lastSignInAt }) => ({
        id: personIdOf(id),
        name,
        email,
        source,
        last_sign_in_at: lastSignInAt,
      })),
      next_cursor: next === null ? null : personIdOf(next),
    };
  },
});

const revoke = sessionRoute({
  method: 'DELETE',
  path: '/api/v1/operator/operators/{person_id}',
  operationId: 'revokeOperator',
  tag,
  summary: 'Revoke an operator',
  description:
    'For signed-in operators. The person is no longer an operator from the next request on, in every process, and stays ' +
    'a member of accounts. Operators by groups are changed at the identity provider.',
  session,
  request: { params: z.object({ person_id: z.string().describe('person_<id>') }) },
  responses: [noContent('The person is no longer an operator.')],
  errors: ['operator_not_found', 'operator_managed_by_groups'],
  handle: async ({ person: { personId }, params, cause, reply }, { eventLog, readYourWrites }) => {
    const id = bareId('person', params.person_id);
    if (id === undefined) throw ApiError.of('operator_not_found', 'There is no operator with this id.');
    const position = await revokeOperator(eventLog, id, cause);
    readYourWrites.recordWrite(personId, position, readModels.people);
    return reply.status(204).send();
  },
});

/** Who may see and change all accounts. */
export const operatorRoutesOfPeople: Route[] = [listOperators, revoke];
