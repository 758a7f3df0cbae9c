import { describe, expect, it } from 'vitest';

/** How another process opens the same engine: `name` is the function that `module` exports. */
export type EngineModule = { module: string; name: string; args: readonly unknown[] };

/** An engine over fresh, empty storage, as the suites get it. */
export type EngineUnderTest<Engine> = {
  engine: Engine;
  /** Closes and opens again over the same storage. Absent where the engine forgets. */
  reopen?: () => Promise<Engine>;
  /** Absent where the engine serves one process alone. */
  engineModule?: EngineModule;
  /** Closes what is open and removes the storage. */
  close: () => Promise<void>;
};

export type Skip = (reason: string) => never;
export type ContractCases<Harness> = Record<string, (opened: Harness, skip: Skip) => Promise<void>>;

/** One suite for every engine of a port: each case gets storage of its own, and a suite without cases fails. */
export const describeContract = <Harness extends { close: () => Promise<void> }>(
  title: string,
  open: () => Promise<Harness>,
  cases: ContractCases<Harness>,
): void => {
  // oxlint-disable vitest/valid-title, vitest/expect-expect -- the rules come as a table, and expect within
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

/** What an engine can do only in part of the engines; the case is skipped, and counted as skipped, for the others. */
export const requireAbility = <T>(ability: T | undefined, name: string, skip: Skip): T =>
  ability ?? skip(`the engine has no ${name}`);
