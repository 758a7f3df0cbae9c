import { lint } from './check/lint.ts';
import { runTests } from './check/run-tests.ts';
import { sentence } from './check/tally.ts';

const linted = lint();
const { tally, succeeded } = runTests(process.argv.slice(2));

if (!linted) console.log('The lint has failed; its findings stand above the tests.');
process.exitCode = linted && succeeded ? 0 : 1;
console.log(sentence(tally));
