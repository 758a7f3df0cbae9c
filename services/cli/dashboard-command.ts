import { InvalidArgumentError, Option } from 'commander';
import type { CliCommand } from './cli-command.ts';
import { z } from 'zod';
import { accountIdOf, personIdOf } from '#contracts/names.ts';
import { type Role, roles } from '#contracts/roles.ts';
import { identityOfUser, issueSignInLink, signInUrl } from '#application/people/sign-in-links.ts';
import { UsageError, withEngines } from '../process/command-context.ts';
import { machineUser } from '../process/machine-user.ts';
import { requireAccountOrOnly, wantsJson } from './arguments.ts';
import { print } from './output.ts';

type DashboardOptions = { account?: string; email?: string; role?: Role; operator?: true };

/** An email. @throws InvalidArgumentError */
const emailAddress = (text: string): string => {
  const { success, data } = z.email().max(254).safeParse(text.trim());
  if (!success) throw new InvalidArgumentError('It must be an email, such as ada@example.com.');
  return data;
};

const printLink = ({ account, email, role, operator }: DashboardOptions, json: boolean): Promise<void> =>
  withEngines(async ({ settings, engines: { reads }, eventLog, actor }) => {
    if (operator && role && account === undefined)
      throw new UsageError('--role is the role in an account: name one with --account, or leave --role out.');
    const joined = operator && account === undefined ? null : await requireAccountOrOnly(reads, account);
    const { token, personId, expiresAt } = await issueSignInLink(eventLog, actor, {
      identity: email === undefined ? identityOfUser(machineUser(), role ?? null) : { kind: 'email', email },
      accountId: joined?.id ?? null,
      role: role ?? null,
      operator: operator === true,
    });
    const url = signInUrl(settings.baseUrl, token);
    const fields = {
      url,
      token,
      expires_at: expiresAt,
      person_id: personIdOf(personId),
      account_id: joined && accountIdOf(joined.id),
      operator: operator === true,
    };
    print(json, fields, `Open this link within 15 minutes to sign in. It works once.\n\n${url}`);
  });

/** `colophon dashboard` */
export const addDashboardCommand = (program: CliCommand): void =>
  void program
    .command('dashboard')
    .description('print a link that signs a person in to the dashboard, once and within 15 minutes')
    .option('--account <account>', 'the id or name of the account; not needed if there is only one')
    .option('--email <email>', 'who signs in; by default the user of this machine', emailAddress)
    .addOption(
      new Option('--role <role>', 'the role in the account; by default the present role, or owner').choices(roles),
    )
    .option('--operator', 'sign in as an operator, who sees and administers all accounts')
    .examples(
      'dashboard',
      'dashboard --account "Paper Mill" --email ada@example.com --role developer',
      'dashboard --operator',
    )
    .action((options: DashboardOptions, command: CliCommand) => printLink(options, wantsJson(command)));
