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

export const formatSummary = ({ passed, failed, skipped }: TestCounts): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
