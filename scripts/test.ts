import { lint } from './check/lint.ts';
import { runTests } from './check/run-tests.ts';
import { formatSummary } from './check/test-counts.ts';

const linted = lint();
const { counts, succeeded } = runTests(process.argv.slice(2));

if (!linted) console.log('The lint has failed; its findings stand above the tests.');
process.exitCode = linted && succeeded ? 0 : 1;
console.log(formatSummary(counts));
