import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vitestResults, type TestCounts, countTests } from './test-counts.ts';

export type TestRunResult = { counts: TestCounts; succeeded: boolean };

const noTests: TestCounts = { passed: 0, failed: 0, skipped: 0 };

const readTestCounts = (file: string): TestCounts => {
  try {
    return countTests(vitestResults.parse(JSON.parse(readFileSync(file, 'utf8'))));
  } catch (error) {
    console.log(`The results of the tests cannot be read: ${String(error)}`);
    return noTests;
  }
};

/** Runs vitest once in the present folder, with its own report on the terminal. A run without a passed test has not succeeded. */
export const runTests = (args: string[]): TestRunResult => {
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
    const { status } = spawnSync(process.execPath, vitest, { stdio: 'inherit' });
    const tally = readTestCounts(file);
    return { counts: tally, succeeded: status === 0 && tally.failed === 0 && tally.passed > 0 };
  } finally {
    rmSync(folder, { recursive: true });
  }
};
