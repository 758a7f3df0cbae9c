import type { Program } from './ast.ts';
import type { Lexical } from './lexical.ts';
import type { Run } from './run.ts';
import type { Scope } from './scope.ts';

/** Expands one part of a template within a scope. */
export type Step = (scope: Scope, run: Run) => void;
/** Makes the statements of a block's body ready; a body that is not there expands to nothing. */
export type StepsOf = (program: Program | undefined, lexical: Lexical) => Step;
