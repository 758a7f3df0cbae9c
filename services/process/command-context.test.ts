import { describe, expect, it, onTestFinished } from 'vitest';
import type { Actor } from '#contracts/events/metadata.ts';
import { streams } from '#contracts/names.ts';
import { changeAccount, openAccount } from '#application/accounts/commands.ts';
import { newCause } from '#application/command-handling/aggregate.ts';
import { issueKey } from '#application/api-keys/commands.ts';
import { apiKey } from '#libs/domain/api-key.ts';
import { loadAggregate } from '#application/command-handling/aggregate.ts';
import { hashSecret } from '#application/api-keys/secret.ts';
import { projections } from '#libs/projections/all.ts';
import { catchUp } from '#libs/projections/catch-up.ts';
import { cacheMs } from '#libs/concurrency/read-cache.ts';
import { openKeyCache } from '#application/api-keys/queries.ts';
import { openTemporaryEngines } from '../../test/support/service/temporary-engines.ts';
import { changeCallersAndWait } from './command-context.ts';

const actor: Actor = { kind: 'person', name: 'tests' };

/** A key, and an API cache that has just read it. */
const createKeyWithCachedCaller = async () => {
  const { engines, remove } = await openTemporaryEngines();
  onTestFinished(remove);
  const { store, reads } = engines;
  const eventLog = { store, now: () => new Date() };
  const accountId = await openAccount(eventLog, actor, { name: 'tests', plan: 'free', overrides: {} });
  const key = await issueKey(eventLog, actor, {
    accountId,
    name: 'tests',
    keyType: 'live',
    permissions: [],
    expiresAt: null,
  });
  await catchUp(store, reads, projections);
  const callers = openKeyCache(reads, cacheMs, (read) => read);
  const caller = async () => (await callers.find(hashSecret(key.secret)))!;
  await caller();
  return { engines: { store, reads }, eventLog, accountId, keyId: key.id, caller };
};

describe('After a command that changes callers, an API with cached callers', () => {
  it('refuses a revoked key', async () => {
    const { engines, eventLog, accountId, keyId, caller } = await createKeyWithCachedCaller();
    const { aggregate } = await loadAggregate(eventLog, apiKey, streams.apiKey(keyId));
    await changeCallersAndWait(engines, () =>
      aggregate.execute({ type: 'revoke', reason: null }, newCause(actor, accountId)),
    );
    expect((await caller()).key.revokedAt).not.toBeNull();
  });

  it('uses the suspension and the new plan of the account', async () => {
    const { engines, eventLog, accountId, caller } = await createKeyWithCachedCaller();
    expect(
      (
        await changeCallersAndWait(engines, () =>
          changeAccount(eventLog, accountId, { type: 'suspend', reason: 'unpaid' }, newCause(actor, accountId)),
        )
      ).changed,
    ).toBe(true);
    expect((await caller()).account.suspension).toMatchObject({ reason: 'unpaid' });
    await changeCallersAndWait(engines, () =>
      changeAccount(
        eventLog,
        accountId,
        { type: 'changePlan', plan: 'pro', overrides: {}, reason: null },
        newCause(actor, accountId),
      ),
    );
    expect((await caller()).account.plan).toBe('pro');
  });
});
