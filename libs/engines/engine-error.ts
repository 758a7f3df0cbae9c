import { Problem } from '#contracts/http/problem.ts';
import { BlobMissing } from '#libs/blob-store/port.ts';
import { EventTooLarge, RevisionConflict } from '#libs/event-store/port.ts';

const answers = [Problem, RevisionConflict, EventTooLarge, BlobMissing];
const mistakesOfOurs = [TypeError, RangeError, ReferenceError, SyntaxError];

/**
 * Whether an operation failed because of the server, and may succeed later. What the port has to say is no failure, and what we do wrong fails for ever.
 * Which errors mean that a server is away differs from driver to driver, so that all others are taken for it.
 */
export const isFailure = (error: unknown): boolean => ![...answers, ...mistakesOfOurs].some((kind) => error instanceof kind);

type Operation = (...given: unknown[]) => Promise<unknown>;

/** These do not answer with a promise, or nobody waits for them. */
const untouched = new Set(['subscribe', 'missing', 'close', 'next', 'writer', 'heard']);

/** The engine with every operation that answers once replaced by what `change` makes of it. */
export const withOperations = <E extends object>(engine: E, change: (operation: Operation) => Operation): E => {
  const changed = Object.entries(engine).map(([name, value]) => [name, typeof value === 'function' && !untouched.has(name) ? change(value as Operation) : value] as const);
  return Object.fromEntries(changed) as E;
};
