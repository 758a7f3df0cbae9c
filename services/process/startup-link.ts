import { listAccounts } from '#application/accounts/queries.ts';
import { identityOfUser, issueSignInLink } from '#application/people/sign-in-links.ts';
import { machineUser } from './machine-user.ts';
import type { ProcessContext } from './process-context.ts';
import { roles as allRoles } from './running-role.ts';

/**
 * The token of a one-time link that makes the user of the machine owner of the only account. Null if there are several
 * accounts, because the start does not choose for the user; and for one of several processes, unless it runs on a
 * terminal, because its output is a log.
 */
export const issueStartupLink = async ({ engines, roles, now }: ProcessContext): Promise<string | null> => {
  if (roles.length < allRoles.length && !process.stdout.isTTY) return null;
  const [store, reads] = await Promise.all([engines.store(), engines.reads()]);
  const accounts = await listAccounts(reads);
  if (accounts.length !== 1) return null;
  const { token } = await issueSignInLink(
    { store, now },
    { kind: 'service', name: 'start' },
    { identity: identityOfUser(machineUser(), null), accountId: accounts[0]!.id, role: null, operator: false },
  );
  return token;
};
