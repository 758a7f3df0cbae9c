import { lint } from './check/lint.ts';

process.exitCode = lint() ? 0 : 1;
