import { expect } from 'vitest';
import { type ContractCases, requireAbility, type EngineUnderTest } from '../support/contract/describe-contract.ts';

type EngineWithInstallationId = {
  installationId(): Promise<string | null>;
  setInstallationId(installation: string): Promise<string>;
  close(): Promise<void>;
};

/** What every engine does that belongs to one installation. */
export const installationIdCases: ContractCases<EngineUnderTest<EngineWithInstallationId>> = {
  'fresh storage belongs to no installation': async ({ engine }) => {
    expect(await engine.installationId()).toBeNull();
  },

  'storage belongs to the installation that marks it first, for good': async ({ engine }) => {
    expect(await engine.setInstallationId('one')).toBe('one');
    expect(await engine.setInstallationId('other')).toBe('one');
    expect(await engine.setInstallationId('one')).toBe('one');
    expect(await engine.installationId()).toBe('one');
  },

  'of many who mark it at once one wins, and all are told of it': async ({ engine }) => {
    const told = await Promise.all(
      Array.from({ length: 10 }, (_, number) => engine.setInstallationId(`installation-${number}`)),
    );
    expect(new Set(told).size).toBe(1);
    expect(await engine.installationId()).toBe(told[0]);
  },

  'a mark lasts': async ({ engine, reopen }, skip) => {
    await engine.setInstallationId('one');
    const again = await requireAbility(reopen, 'lasting storage', skip)();
    expect(await again.installationId()).toBe('one');
    expect(await again.setInstallationId('other')).toBe('one');
  },
};
