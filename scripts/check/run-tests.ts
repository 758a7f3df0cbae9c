import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countTests, listFailures, noTests, type TestCounts, vitestResults } from './test-counts.ts';

/** `report` is what is to be shown when all runs have ended. */
export type TestRunResult = { counts: TestCounts; succeeded: boolean; report: string };

const readResults = (file: string): Pick<TestRunResult, 'counts' | 'report'> => {
  try {
    const results = vitestResults.parse(JSON.parse(readFileSync(file, 'utf8')));
    return { counts: countTests(results), report: listFailures(results) };
  } catch (error) {
    return { counts: noTests, report: `The test results cannot be read: ${String(error)}` };
  }
};

/** Tests start many processes, which load the same code. */
const compileCache = join(process.cwd(), 'node_modules/.cache/node');

/**
 * Runs vitest once in the current folder and shows its report as it comes. Failures are returned too, to be shown again
 * below what other runs print. A run without a passed test is a failure.
 */
export const runTests = async (args: string[]): Promise<TestRunResult> => {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-results-'));
  const file = join(folder, 'results.json');
  try {
    const vitest = [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${file}`,
      ...args,
    ];
    const child = spawn(process.execPath, vitest, {
      stdio: 'inherit',
      env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
    });
    const [status] = (await once(child, 'exit')) as [number | null];
    const { counts, report } = readResults(file);
    return { counts, succeeded: status === 0 && counts.failed === 0 && counts.passed > 0, report };
  } finally {
    rmSync(folder, { recursive: true });
  }
};
