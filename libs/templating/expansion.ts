import { ApiError } from '#contracts/http/api-error.ts';

type ExpansionOptions = {
  readonly data: unknown;
  readonly locale: string;
  readonly timeZone: string;
  readonly maxOutputBytes: number;
  readonly maxSteps: number;
};

/** One expansion under way: what it reads, what it has written, how much it has done. */
export type ExpansionState = ExpansionOptions & {
  readonly chunks: string[];
  pieces: string[];
  bytes: number;
  steps: number;
};

export const startExpansion = (terms: ExpansionOptions): ExpansionState => ({
  ...terms,
  chunks: [],
  pieces: [],
  bytes: 0,
  steps: 0,
});

// Millions of one-letter pieces joined by + would hold thirty times their length in memory until the end.
const piecesInChunk = 4096;

/**
 * Adds a text to the document; `bytes` is its length in UTF-8. Fails as soon as the document is too large, not at its
 * end.
 */
export const writeText = (run: ExpansionState, text: string, bytes: number): void => {
  run.bytes += bytes;
  if (run.bytes > run.maxOutputBytes) {
    throw ApiError.of(
      'template_render_error',
      `The template expands to more than ${run.maxOutputBytes} bytes, which is the most a document may have.`,
    );
  }
  run.pieces.push(text);
  if (run.pieces.length < piecesInChunk) return;
  run.chunks.push(run.pieces.join(''));
  run.pieces = [];
};

/** Counts work done, so that loops within loops end even where they write nothing. */
export const countSteps = (run: ExpansionState, steps: number): void => {
  run.steps += steps;
  if (run.steps <= run.maxSteps) return;
  throw ApiError.of(
    'template_render_error',
    `Expanding the template takes more than ${run.maxSteps} steps: its loops go over too many items.`,
  );
};

/** All that was written. */
export const outputText = (run: ExpansionState): string => [...run.chunks, ...run.pieces].join('');

/** Where in a loop its body is being expanded. */
export type Loop = { index: number; key: string | number; first: boolean; last: boolean; outer: Loop | undefined };

/** A context that `each` or `with` has opened, or the data itself (then `up` is undefined). */
export type Scope = {
  context: unknown;
  readonly parent: Scope | undefined;
  readonly loop: Loop | undefined;
  /** What the names given with `as |...|` stand for. */
  blockParams: readonly unknown[];
  /** The context's own path from the top of the data, as a person would write it: `items[2]`. */
  readonly path: () => string;
};

export const rootScope = (data: unknown): Scope => ({
  context: data,
  parent: undefined,
  loop: undefined,
  blockParams: [],
  path: () => '',
});

export const scopeAbove = (scope: Scope, hops: number): Scope | undefined => {
  let found: Scope | undefined = scope;
  for (let left = hops; left > 0 && found; left -= 1) found = found.parent;
  return found;
};

/** A member's path beneath that of its holder: `items[2]` and `price` give `items[2].price`. */
export const joinPath = (trail: string, parts: readonly string[]): string =>
  [trail, ...parts].filter((part) => part !== '').join('.');

/** Expands one part of a template within a scope. */
export type Step = (scope: Scope, run: ExpansionState) => void;
