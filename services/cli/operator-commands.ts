import type { CliCommand } from './cli-command.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { bareId, personIdOf } from '#contracts/names.ts';
import { newCause } from '#application/command-handling/aggregate.ts';
import { personIdFrom } from '#application/people/identity.ts';
import { findOperatorPage, type Operator, revokeOperator } from '#application/people/operators.ts';
import { openPeople } from '#application/people/people.ts';
import { UsageError, withEngines } from '../process/command-context.ts';
import { wantsJson } from './arguments.ts';
import { print, table } from './output.ts';

const pageSize = 100;

const listOperators = (json: boolean): Promise<void> =>
  withEngines(async ({ engines: { reads }, eventLog }) => {
    const people = openPeople(eventLog);
    const all: Operator[] = [];
    for (let before: string | null | undefined; before !== null;) {
      const { operators, next }: Awaited<ReturnType<typeof findOperatorPage>> = await findOperatorPage(reads, people, {
        before,
        limit: pageSize,
      });
      all.push(...operators);
      before = next;
    }
    const rows = all.map(({ id, name, source, lastSignInAt }) => ({
      id: personIdOf(id),
      name,
      source,
      last_sign_in_at: lastSignInAt,
    }));
    print(json, rows, table(rows));
  });

const revoke = (person: string, json: boolean): Promise<void> =>
  withEngines(async ({ eventLog, actor }) => {
    const id = bareId('person', person) ?? personIdFrom({ kind: 'email', email: person });
    await revokeOperator(eventLog, id, newCause(actor, null)).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      const isUnknown = error.fields.name === 'operator_not_found';
      throw new UsageError(
        isUnknown ? `${person} is not an operator. "colophon operator list" shows all.` : error.message,
      );
    });
    print(json, { id: personIdOf(id) }, `${person} is no longer an operator. The sessions of this person stay valid.`);
  });

/** `colophon operator ...` */
export const addOperatorCommands = (program: CliCommand): void => {
  const operator = program
    .command('operator')
    .description('list and revoke the people who see and change all accounts')
    .examples('operator list', 'operator revoke ada@example.com');
  operator
    .command('list')
    .description('list the operators')
    .action((_options: object, command: CliCommand) => listOperators(wantsJson(command)));
  operator
    .command('revoke')
    .description('take the rights of an operator from a person, from the next request on')
    .argument('<person>', 'the email or id of the person')
    .action((person: string, _options: object, command: CliCommand) => revoke(person, wantsJson(command)));
};
