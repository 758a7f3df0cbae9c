import { z } from 'zod';

const assertionResult = z.object({ status: z.enum(['passed', 'failed', 'skipped', 'pending', 'todo', 'disabled']) });

/** The part that is used of the report of vitest's JSON reporter. */
export const vitestResults = z.object({
  success: z.boolean(),
  testResults: z.array(z.object({ name: z.string(), status: z.string(), assertionResults: z.array(assertionResult) })),
});

export type TestCounts = { passed: number; failed: number; skipped: number };

/** Counts tests. A file that failed to load or to set up, without a failed test in it, counts as one failure. */
export const countTests = ({ testResults }: z.output<typeof vitestResults>): TestCounts => {
  const statuses = testResults.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
  const brokenFiles = testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
  ).length;
  const passed = statuses.filter((status) => status === 'passed').length;
  const failed = statuses.filter((status) => status === 'failed').length;
  return { passed, failed: failed + brokenFiles, skipped: statuses.length - passed - failed };
};

/** The part that is used of the report of Playwright's JSON reporter. Errors outside of tests are in `errors`. */
export const playwrightResults = z.object({
  stats: z.object({ expected: z.number(), unexpected: z.number(), flaky: z.number(), skipped: z.number() }),
  errors: z.array(z.unknown()),
});

/** Counts tests. Errors outside of tests count as one failure. */
export const countBrowserTests = ({ stats, errors }: z.output<typeof playwrightResults>): TestCounts => ({
  passed: stats.expected,
  failed: stats.unexpected + stats.flaky + (errors.length > 0 && stats.unexpected === 0 ? 1 : 0),
  skipped: stats.skipped,
});

export const noTests: TestCounts = { passed: 0, failed: 0, skipped: 0 };

export const addCounts = (one: TestCounts, other: TestCounts): TestCounts => ({
  passed: one.passed + other.passed,
  failed: one.failed + other.failed,
  skipped: one.skipped + other.skipped,
});

export const formatSummary = ({ passed, failed, skipped }: TestCounts): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
