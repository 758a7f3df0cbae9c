import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { countBrowserTests, noTests, playwrightResults } from './test-counts.ts';
import type { TestRunResult } from './run-tests.ts';

/** `report` is what the run printed. */
export type BrowserTestResult = TestRunResult & { report: string };

/** What was on the page of each failed test: the report names a file with it. */
const pagesIn = (report: string): string[] =>
  [...report.matchAll(/Error Context: (.+\.md)/g)]
    .flatMap(([, path]) => (existsSync(path!) ? [readFileSync(path!, 'utf8')] : []))
    .map((text) => text.match(/(?<=```yaml\n)[^]*?(?=```)/)?.[0] ?? '');

/**
 * Runs the tests of the dashboard in a browser. Their report is returned rather than shown, because other tests run
 * beside them. It is short, so that the failures of those stay near the end, and has what was on the page of each failed
 * test. One test at a time leaves room for the others, which take longer. A folder without their configuration, such as
 * those that test/repo creates, has none.
 */
export const runBrowserTests = async (): Promise<BrowserTestResult> => {
  if (!existsSync('playwright.config.ts')) return { counts: noTests, succeeded: true, report: '' };
  const folder = mkdtempSync(join(tmpdir(), 'colophon-browser-results-'));
  const file = join(folder, 'results.json');
  const child = spawn(
    process.execPath,
    ['node_modules/@playwright/test/cli.js', 'test', '--reporter=dot,json', '--workers=1'],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, PLAYWRIGHT_JSON_OUTPUT_NAME: file } },
  );
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const report = output + errors;
  try {
    const counts = countBrowserTests(playwrightResults.parse(JSON.parse(readFileSync(file, 'utf8'))));
    const succeeded = code === 0 && counts.failed === 0 && counts.passed > 0;
    return { counts, succeeded, report: [report, ...pagesIn(report)].join('\n') };
  } catch (error) {
    const problem = `The results of the browser tests cannot be read: ${String(error)}`;
    return { counts: noTests, succeeded: false, report: `${report}\n${problem}` };
  } finally {
    rmSync(folder, { recursive: true });
  }
};
