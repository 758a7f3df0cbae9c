import { ApiError } from '#contracts/http/api-error.ts';
import type { Labels } from './labels.ts';
import { addProblem, type DataProblem, type DataProblems } from './data-problems.ts';

type ExpansionOptions = {
  readonly data: unknown;
  readonly locale: string;
  readonly timeZone: string;
  readonly labels: Labels;
  readonly maxOutputBytes: number;
  readonly maxSteps: number;
  readonly problems: DataProblems;
};

/**
 * The state of one expansion: its input, its output, the work counted, and how many values were unusable, so that the
 * calls that need them are skipped.
 */
export type ExpansionState = ExpansionOptions & {
  readonly chunks: string[];
  pieces: string[];
  bytes: number;
  steps: number;
  unusableValues: number;
};

export const startExpansion = (options: ExpansionOptions): ExpansionState => ({
  ...options,
  chunks: [],
  pieces: [],
  bytes: 0,
  steps: 0,
  unusableValues: 0,
});

// Joining millions of one-letter pieces with + would hold thirty times their length in memory until the end.
const piecesInChunk = 4096;

/**
 * Adds text to the document. `bytes` is its length in UTF-8.
 * @throws ApiError template_render_error as soon as the document is too large
 */
export const writeText = (state: ExpansionState, text: string, bytes: number): void => {
  state.bytes += bytes;
  if (state.bytes > state.maxOutputBytes) {
    throw ApiError.of(
      'template_render_error',
      `The template expands to more than ${state.maxOutputBytes} bytes, which is the most a document may have.`,
    );
  }
  state.pieces.push(text);
  if (state.pieces.length < piecesInChunk) return;
  state.chunks.push(state.pieces.join(''));
  state.pieces = [];
};

/** Counts work, so that nested loops end even if they write nothing. */
export const countSteps = (state: ExpansionState, steps: number): void => {
  state.steps += steps;
  if (state.steps <= state.maxSteps) return;
  throw ApiError.of(
    'template_render_error',
    `Expanding the template takes more than ${state.maxSteps} steps: its loops go over too many items.`,
  );
};

/** The number of characters of a path that count as one step. */
const pathCharactersPerStep = 64;

/**
 * Records a problem of the data, so that the expansion goes on and finds the others. The value counts as null.
 * @throws TooManyProblems
 */
export const recordProblem = (state: ExpansionState, problem: DataProblem): null => {
  state.unusableValues += 1;
  addProblem(state.problems, problem);
  countSteps(state, 1 + problem.path.length / pathCharactersPerStep);
  return null;
};

export const outputText = (state: ExpansionState): string => [...state.chunks, ...state.pieces].join('');

export type Loop = {
  index: number;
  /** As `index`, but counted from 1. */
  number: number;
  key: string | number;
  first: boolean;
  last: boolean;
  outer: Loop | undefined;
};

/** A context that `each` or `with` opened, or the data itself (`parent` is undefined). */
export type Scope = {
  context: unknown;
  readonly parent: Scope | undefined;
  readonly loop: Loop | undefined;
  /** The values of the names in `as |...|`. */
  blockParams: readonly unknown[];
  /** The context's path from the top of the data, for messages: `items[2]`. */
  readonly path: () => string;
};

export const rootScope = (data: unknown): Scope => ({
  context: data,
  parent: undefined,
  loop: undefined,
  blockParams: [],
  path: () => '',
});

/** The scope `hops` contexts further out; undefined beyond the data. */
export const scopeAbove = (scope: Scope, hops: number): Scope | undefined => {
  let found: Scope | undefined = scope;
  for (let remaining = hops; remaining > 0 && found; remaining -= 1) found = found.parent;
  return found;
};

/** A member's path below the path of its holder: `items[2]` and `price` give `items[2].price`. */
export const joinPath = (path: string, parts: readonly string[]): string =>
  [path, ...parts].filter((part) => part !== '').join('.');

/** Expands one part of a template within a scope. */
export type Step = (scope: Scope, state: ExpansionState) => void;
