import { describe, expect, it } from 'vitest';

/** How another process opens the same engine: `name` is the function that `module` exports. */
export type EngineModule = { module: string; name: string; args: readonly unknown[] };

/** An engine with new, empty storage, for the contract tests. */
export type EngineUnderTest<Engine> = {
  engine: Engine;
  /** Closes the engine and opens the same storage again. Absent if the engine does not store. */
  reopen?: () => Promise<Engine>;
  /** Absent if the engine only works in one process. */
  engineModule?: EngineModule;
  /** Closes all engines and removes the storage. */
  close: () => Promise<void>;
};

export type Skip = (reason: string) => never;
export type ContractCases<Harness> = Record<string, (opened: Harness, skip: Skip) => Promise<void>>;

/** Runs the same cases for every engine of a port. Each case gets its own storage. */
export const describeContract = <Harness extends { close: () => Promise<void> }>(
  title: string,
  open: () => Promise<Harness>,
  cases: ContractCases<Harness>,
): void => {
  // oxlint-disable vitest/valid-title, vitest/expect-expect -- the cases come as a table and contain the assertions
  describe(title, () => {
    it('is held to at least ten rules', () => expect(Object.keys(cases).length).toBeGreaterThanOrEqual(10));
    for (const [rule, run] of Object.entries(cases)) {
      it(rule, async (context) => {
        const opened = await open();
        try {
          await run(opened, (reason) => context.skip(reason));
        } finally {
          await opened.close();
        }
      });
    }
  });
};

/** Returns an ability that only some engines have. Skips the case for the others. */
export const requireAbility = <T>(ability: T | undefined, name: string, skip: Skip): T =>
  ability ?? skip(`the engine has no ${name}`);
