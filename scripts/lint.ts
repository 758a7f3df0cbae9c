import { lint } from './check/lint.ts';

const { passed, report } = await lint();
console.log(report);
process.exitCode = passed ? 0 : 1;
