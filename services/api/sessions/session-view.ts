import type { SessionResponse } from '#contracts/http/session.ts';
import { accountIdOf, personIdOf, sessionIdOf } from '#contracts/names.ts';
import type { Role } from '#contracts/roles.ts';
import type { Caller } from '#application/callers/caller.ts';
import type { SignedInPerson } from '#application/people/people.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';

type AccountWithRole = { account: AccountDocument; role: Role | null };

const accountView = ({ account: { id, name, suspension }, role }: AccountWithRole) => ({
  id: accountIdOf(id),
  name,
  state: suspension ? ('suspended' as const) : ('active' as const),
  role,
});

/** What a page must know about the signed-in person. */
export const sessionView = (
  person: SignedInPerson,
  accounts: readonly AccountWithRole[],
  current: (AccountWithRole & Pick<Caller, 'permissions'>) | null,
): SessionResponse => ({
  person: {
    id: personIdOf(person.personId),
    email: person.email,
    name: person.name,
    operator: person.isOperator,
    passkeys: person.passkeys,
  },
  session: { id: sessionIdOf(person.sessionId), method: person.method, expires_at: person.expiresAt },
  accounts: accounts.map(accountView),
  account: current && {
    ...accountView(current),
    suspended_at: current.account.suspension?.at ?? null,
    reason: current.account.suspension?.reason ?? null,
    permissions: [...current.permissions],
  },
});
