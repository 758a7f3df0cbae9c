import { lint } from './check/lint.ts';

process.exitCode = (await lint()) ? 0 : 1;
