import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countBrowserTests, noTests, playwrightResults } from './test-counts.ts';
import type { TestRunResult } from './run-tests.ts';

/**
 * Runs the tests of the dashboard in a browser and shows their report. A folder without their configuration, such as
 * those that test/repo creates, has none.
 */
export const runBrowserTests = (args: string[]): TestRunResult => {
  if (!existsSync('playwright.config.ts')) return { counts: noTests, succeeded: true };
  const folder = mkdtempSync(join(tmpdir(), 'colophon-browser-results-'));
  const file = join(folder, 'results.json');
  try {
    const { status } = spawnSync(
      process.execPath,
      ['node_modules/@playwright/test/cli.js', 'test', '--reporter=list,json', ...args],
      { stdio: 'inherit', env: { ...process.env, PLAYWRIGHT_JSON_OUTPUT_NAME: file } },
    );
    const counts = countBrowserTests(playwrightResults.parse(JSON.parse(readFileSync(file, 'utf8'))));
    return { counts, succeeded: status === 0 && counts.failed === 0 && counts.passed > 0 };
  } catch (error) {
    console.log(`The results of the browser tests cannot be read: ${String(error)}`);
    return { counts: noTests, succeeded: false };
  } finally {
    rmSync(folder, { recursive: true });
  }
};
