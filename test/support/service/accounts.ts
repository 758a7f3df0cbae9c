import { bareId, streams } from '#contracts/names.ts';
import { account as accountDecider } from '#libs/domain/account.ts';
import { loadAggregate } from '#application/command-handling/aggregate.ts';
import { withInstallationEngines } from './with-engines.ts';
import type { TestInstallation } from './installation.ts';

export type IssuedKey = { id: string; key: string; prefix: string };

/** Opens an account by the command line; `options` as one would type them. On the plan `business` unless they say otherwise. */
export const openAccount = async (house: TestInstallation, ...options: string[]): Promise<string> => {
  const plan = options.includes('--plan') ? [] : ['--plan', 'business'];
  const { id } = await house.runJsonCommand<{ id: string }>(
    'account',
    'create',
    '--name',
    'tests',
    ...plan,
    ...options,
  );
  return id;
};

export const issueKey = (house: TestInstallation, account: string, ...options: string[]): Promise<IssuedKey> =>
  house.runJsonCommand<IssuedKey>(
    'key',
    'create',
    '--account',
    account,
    ...(options.includes('--type') ? [] : ['--type', 'live']),
    ...options,
  );

const unlimitedOptions = ['--requests-per-minute', '1000000', '--requests-per-month', '1000000'];

/** A key of an account with the usual limits of a document, and as many requests as tests may want. */
export const createUnlimitedKey = async (house: TestInstallation, ...options: string[]): Promise<string> =>
  (await issueKey(house, await openAccount(house, ...unlimitedOptions, ...options))).key;

/** Suspends the account, by the log. */
export const suspendAccount = (house: TestInstallation, prefixed: string, reason: string): Promise<void> =>
  withInstallationEngines(house, async ({ store }) => {
    const id = bareId('acc', prefixed)!;
    const { aggregate } = await loadAggregate({ store, now: () => new Date() }, accountDecider, streams.account(id));
    const cause = {
      actor: { kind: 'person', name: 'tests' } as const,
      accountId: id,
      correlationId: 'tests',
      causationId: null,
      traceparent: null,
    };
    await aggregate.execute({ type: 'suspend', reason }, cause);
  });
