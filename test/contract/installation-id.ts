import { expect } from 'vitest';
import { type ContractCases, requireAbility, type EngineUnderTest } from '../support/contract/describe-contract.ts';

type EngineWithInstallationId = {
  installationId(): Promise<string | null>;
  setInstallationId(installation: string): Promise<string>;
  close(): Promise<void>;
};

/** The contract of engines that belong to one installation. */
export const installationIdCases: ContractCases<EngineUnderTest<EngineWithInstallationId>> = {
  'new storage belongs to no installation': async ({ engine }) => {
    expect(await engine.installationId()).toBeNull();
  },

  'storage belongs permanently to the installation that claims it first': async ({ engine }) => {
    expect(await engine.setInstallationId('one')).toBe('one');
    expect(await engine.setInstallationId('other')).toBe('one');
    expect(await engine.setInstallationId('one')).toBe('one');
    expect(await engine.installationId()).toBe('one');
  },

  'of many parallel claims one succeeds, and all get its installation id': async ({ engine }) => {
    const installationIds = await Promise.all(
      Array.from({ length: 10 }, (_, number) => engine.setInstallationId(`installation-${number}`)),
    );
    expect(new Set(installationIds).size).toBe(1);
    expect(await engine.installationId()).toBe(installationIds[0]);
  },

  'the installation id remains after reopening': async ({ engine, reopen }, skip) => {
    await engine.setInstallationId('one');
    const again = await requireAbility(reopen, 'lasting storage', skip)();
    expect(await again.installationId()).toBe('one');
    expect(await again.setInstallationId('other')).toBe('one');
  },
};
