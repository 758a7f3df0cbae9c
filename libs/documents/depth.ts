import type { Problem } from '#contracts/http/problem.ts';
import { typeTitles } from './input-type.ts';
import { refusal } from './refusal.ts';

/** How deep JSON and XML may be nested. */
export const maxDepth = 256;

/** Levels beyond this are no longer moved in, so that their text keeps room; the number of the level is shown instead. */
export const deepestIndent = 16;

export const tooDeep = (inputType: 'json' | 'xml', line: number): Problem =>
  refusal(inputType, `The ${typeTitles[inputType]} is nested deeper than ${maxDepth} levels on line ${line}.`, { details: { reason: 'nested too deeply', limit: maxDepth }, line });
