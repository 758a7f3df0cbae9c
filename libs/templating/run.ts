import { Problem } from '#contracts/http/problem.ts';

type Terms = {
  readonly data: unknown;
  readonly locale: string;
  readonly timeZone: string;
  readonly maxOutputBytes: number;
  readonly maxSteps: number;
};

/** One expansion under way: what it reads, what it has written, how much it has done. */
export type Run = Terms & { readonly chunks: string[]; pieces: string[]; bytes: number; steps: number };

export const startRun = (terms: Terms): Run => ({ ...terms, chunks: [], pieces: [], bytes: 0, steps: 0 });

// Millions of one-letter pieces joined by + would hold thirty times their length in memory until the end.
const piecesInChunk = 4096;

/**
 * Adds a text to the document; `bytes` is its length in UTF-8. Fails as soon as the document is too large, not at its
 * end.
 */
export const write = (run: Run, text: string, bytes: number): void => {
  run.bytes += bytes;
  if (run.bytes > run.maxOutputBytes) {
    throw Problem.of('template_render_error', `The template expands to more than ${run.maxOutputBytes} bytes, which is the most a document may have.`);
  }
  run.pieces.push(text);
  if (run.pieces.length < piecesInChunk) return;
  run.chunks.push(run.pieces.join(''));
  run.pieces = [];
};

/** Counts work done, so that loops within loops end even where they write nothing. */
export const spend = (run: Run, steps: number): void => {
  run.steps += steps;
  if (run.steps <= run.maxSteps) return;
  throw Problem.of('template_render_error', `Expanding the template takes more than ${run.maxSteps} steps: its loops go over too many items.`);
};

/** All that was written. */
export const document = (run: Run): string => [...run.chunks, ...run.pieces].join('');

/** Where in a loop its body is being expanded. */
export type Loop = { index: number; key: string | number; first: boolean; last: boolean; outer: Loop | undefined };

/** A context that `each` or `with` has opened, or the data itself (then `up` is undefined). */
export type Scope = {
  context: unknown;
  readonly up: Scope | undefined;
  readonly loop: Loop | undefined;
  /** What the names given with `as |...|` stand for. */
  given: readonly unknown[];
  /** The context's own path from the top of the data, as a person would write it: `items[2]`. */
  readonly trail: () => string;
};

export const topScope = (data: unknown): Scope => ({ context: data, up: undefined, loop: undefined, given: [], trail: () => '' });

export const scopeAbove = (scope: Scope, hops: number): Scope | undefined => {
  let found: Scope | undefined = scope;
  for (let left = hops; left > 0 && found; left -= 1) found = found.up;
  return found;
};

/** A member's path beneath that of its holder: `items[2]` and `price` give `items[2].price`. */
export const joined = (trail: string, parts: readonly string[]): string => [trail, ...parts].filter((part) => part !== '').join('.');

/** Expands one part of a template within a scope. */
export type Step = (scope: Scope, run: Run) => void;
