import { Problem } from '#contracts/http/problem.ts';

/** What spans and metrics call an error: the name of the error table, or the error's own name; never its message. */
export const errorType = (error: unknown): string => (error instanceof Problem ? error.fault.name : error instanceof Error ? error.name : 'unknown');
