import { accountIdOf } from '#contracts/names.ts';
import { limitsOf } from '#contracts/plans.ts';
import { limitsView } from '#application/accounts/limits-view.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import type { UsageDocument } from '#libs/projections/usage.ts';

/** The state of an account in the word that people and `--json` get. */
export const accountState = (status: 'ACTIVE' | 'SUSPENDED'): 'active' | 'suspended' => (status === 'ACTIVE' ? 'active' : 'suspended');

/** Everything that is known of an account, for `--json`. `used` are the renders that count in the period (`YYYY-MM`). */
export const accountDetails = ({ id, name, plan, overrides, openedAt, suspension }: AccountDocument, period: string, usage: UsageDocument | null, keys: number) => ({
  id: accountIdOf(id),
  name,
  plan,
  state: accountState(suspension ? 'SUSPENDED' : 'ACTIVE'),
  suspended_at: suspension?.at ?? null,
  reason: suspension?.reason ?? null,
  opened_at: openedAt,
  overrides,
  limits: limitsView(limitsOf(plan, overrides)),
  usage: { period, used: usage?.used ?? 0 },
  keys,
});

const inWords = (name: string): string => name.replaceAll('_', ' ');

/** The same for people: one fact a line. */
export const accountText = ({ limits, usage, overrides: _, suspended_at: since, reason, ...facts }: ReturnType<typeof accountDetails>): string => {
  const state = since === null ? facts.state : `suspended since ${since}: ${reason}`;
  const lines = { ...facts, state, 'renders that count': `${usage.used} in ${usage.period}`, ...limits };
  const width = Math.max(...Object.keys(lines).map((name) => name.length));
  return Object.entries(lines).map(([name, value]) => `${inWords(name).padEnd(width)}  ${value ?? 'unlimited'}`).join('\n');
};
