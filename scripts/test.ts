import { lint } from './check/lint.ts';
import { runTests } from './check/run-tests.ts';
import { formatSummary } from './check/test-counts.ts';

const linted = await lint();
const { counts, succeeded } = runTests(process.argv.slice(2));

if (!linted) console.log('The lint failed; its findings are above the test report.');
process.exitCode = linted && succeeded ? 0 : 1;
console.log(formatSummary(counts));
