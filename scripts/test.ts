import { join } from 'node:path';
import { lint } from './check/lint.ts';
import { runTests } from './check/run-tests.ts';
import { runBrowserTests } from './check/run-browser-tests.ts';
import { addCounts, formatSummary, noTests } from './check/test-counts.ts';

// Tests start many processes and threads, which load the same code. Without a cache, each also compiles Node's type stripping.
process.env['NODE_COMPILE_CACHE'] = join(process.cwd(), 'node_modules/.cache/node');

const args = process.argv.slice(2);
// With arguments, only tests of vitest are meant: file names, or options.
const [linted, units, browser] = await Promise.all([
  // In the gaps in which tests wait.
  lint({ niceness: 10 }),
  runTests(args),
  args.length > 0 ? { counts: noTests, succeeded: true, report: '' } : runBrowserTests(),
]);
const succeeded = units.succeeded && browser.succeeded;

console.log(browser.report);
console.log(linted.report);
process.exitCode = linted.passed && succeeded ? 0 : 1;
console.log(formatSummary(addCounts(units.counts, browser.counts)));
