import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countTests, noTests, type TestCounts, vitestResults } from './test-counts.ts';

export type TestRunResult = { counts: TestCounts; succeeded: boolean };

const readTestCounts = (file: string): TestCounts => {
  try {
    return countTests(vitestResults.parse(JSON.parse(readFileSync(file, 'utf8'))));
  } catch (error) {
    console.log(`The test results cannot be read: ${String(error)}`);
    return noTests;
  }
};

/** Runs vitest once in the current folder and shows its report. A run without a passed test is a failure. */
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
    const child = spawn(process.execPath, vitest, { stdio: 'inherit' });
    const [status] = (await once(child, 'exit')) as [number | null];
    const counts = readTestCounts(file);
    return { counts, succeeded: status === 0 && counts.failed === 0 && counts.passed > 0 };
  } finally {
    rmSync(folder, { recursive: true });
  }
};
