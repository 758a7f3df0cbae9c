import { bareId, streams } from '#contracts/names.ts';
import { account as accountDecider } from '#libs/domain/account.ts';
import { load } from '#application/handling/handle.ts';
import { lookInto } from './engines.ts';
import type { House } from './service.ts';

export type Key = { id: string; key: string; prefix: string };

/** Opens an account by the command line; `options` as one would type them. On the plan `business` unless they say otherwise. */
export const openAccount = async (house: House, ...options: string[]): Promise<string> => {
  const plan = options.includes('--plan') ? [] : ['--plan', 'business'];
  const { id } = await house.colophon<{ id: string }>('account', 'create', '--name', 'tests', ...plan, ...options);
  return id;
};

export const issueKey = (house: House, account: string, ...options: string[]): Promise<Key> =>
  house.colophon<Key>('key', 'create', '--account', account, ...(options.includes('--type') ? [] : ['--type', 'live']), ...options);

const plenty = ['--requests-per-minute', '1000000', '--requests-per-month', '1000000'];

/** A key of an account with the usual limits of a document, and as many requests as tests may want. */
export const freeKey = async (house: House, ...options: string[]): Promise<string> => (await issueKey(house, await openAccount(house, ...plenty, ...options))).key;

/** Suspends the account, by the log. */
export const suspendAccount = (house: House, prefixed: string, reason: string): Promise<void> =>
  lookInto(house, async ({ store }) => {
    const id = bareId('acc', prefixed)!;
    const { aggregate } = await load({ store, now: () => new Date() }, accountDecider, streams.account(id));
    const cause = { actor: { kind: 'person', name: 'tests' } as const, accountId: id, correlationId: 'tests', causationId: null, traceparent: null };
    await aggregate.execute({ type: 'suspend', reason }, cause);
  });
