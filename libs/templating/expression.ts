import { type Expression, type Hash, lineOf, type Path, type SubExpression, sourceOf, sourceOfCall } from './ast.ts';
import type { Argument, HelperCall } from './template-helpers/helper-call.ts';
import { type ValueHelperName, valueHelpers } from './template-helpers/helper-registry.ts';
import { type LexicalScope, type PathStart, resolvePathStart } from './lexical-scope.ts';
import { missingValueError } from './messages.ts';
import { joinPath, type Loop, type ExpansionState, type Scope, scopeAbove, countSteps } from './expansion.ts';
import { ownMember } from './values.ts';

/** Computes an expression's value; undefined where the data has none. */
export type Evaluate = (scope: Scope, run: ExpansionState) => unknown;

/** An expression made ready: how to read it, and its path from the top of the data as a person would write it. */
export type CompiledExpression = {
  evaluate: Evaluate;
  source: string;
  fullPath: (scope: Scope) => string;
  line: number;
};

/** Parts of a path that are read together count as one step. */
const partsPerStep = 8;

const readPath = (from: unknown, parts: readonly string[], run: ExpansionState): unknown => {
  if (parts.length > partsPerStep) countSteps(run, parts.length / partsPerStep);
  let value = from;
  for (const part of parts) {
    if (value === undefined) return undefined;
    value = ownMember(value, part);
  }
  return value;
};

const loopAbove = (scope: Scope, hops: number): Loop | undefined => {
  let loop = scope.loop;
  for (let left = hops; left > 0 && loop; left -= 1) loop = loop.outer;
  return loop;
};

const compileRead = (start: PathStart): Evaluate => {
  const { rest } = start;
  switch (start.from) {
    case 'root':
      return (_, run) => readPath(run.data, rest, run);
    case 'loop':
      return (scope, run) => readPath(ownMember(loopAbove(scope, start.hops), start.name), rest, run);
    case 'name':
      return (scope, run) => readPath(scopeAbove(scope, start.hops)?.blockParams[start.position], rest, run);
    case 'context': {
      const [only] = rest;
      if (start.hops === 0 && only !== undefined && rest.length === 1) return (scope) => ownMember(scope.context, only);
      return (scope, run) => readPath(scopeAbove(scope, start.hops)?.context, rest, run);
    }
    default:
      throw new TypeError('a path with an unknown beginning', { cause: start satisfies never });
  }
};

const fullPath = (start: PathStart, asWritten: string, scope: Scope): string => {
  if (start.from === 'loop' || (start.from === 'name' && start.position > 0)) return asWritten;
  if (start.from === 'root') return joinPath('', start.rest);
  return joinPath(scopeAbove(scope, start.hops)?.path() ?? '', start.rest);
};

const compilePath = (path: Path, lexical: LexicalScope): CompiledExpression => {
  const start = resolvePathStart(path, lexical);
  return {
    evaluate: compileRead(start),
    source: path.original,
    fullPath: (scope) => fullPath(start, path.original, scope),
    line: lineOf(path),
  };
};

/** Makes an expression ready that may be without a value, such as the condition of an `if`. */
export const compileExpression = (node: Expression, lexical: LexicalScope): CompiledExpression => {
  switch (node.type) {
    case 'PathExpression':
      return compilePath(node, lexical);
    case 'SubExpression':
      return compileCall(node, lexical, true);
    case 'UndefinedLiteral':
      return compileConstant(node, undefined);
    case 'NullLiteral':
      return compileConstant(node, null);
    case 'StringLiteral':
    case 'NumberLiteral':
    case 'BooleanLiteral':
      return compileConstant(node, node.value);
    default:
      throw new TypeError('an expression of an unknown kind', { cause: node satisfies never });
  }
};

const compileConstant = (node: Expression, value: unknown): CompiledExpression => ({
  evaluate: () => value,
  source: sourceOf(node),
  fullPath: () => sourceOf(node),
  line: lineOf(node),
});

/** The same, where a value is needed: without one, the expansion fails and names it. */
export const requireValue =
  ({ evaluate, source: asWritten, fullPath, line }: CompiledExpression): Evaluate =>
  (scope, run) => {
    const value = evaluate(scope, run);
    if (value === undefined) throw missingValueError(asWritten, fullPath(scope), line);
    return value;
  };

const absentArgument: Argument = { value: undefined, source: '', isLiteral: true };

/** Makes a helper's call ready. `raw` says whether its result reaches the document as it stands. */
export const compileCall = (
  node: Pick<SubExpression, 'path' | 'params' | 'loc'> & { hash?: Hash },
  lexical: LexicalScope,
  raw: boolean,
): CompiledExpression => {
  const name = node.path.original as ValueHelperName;
  const { compute, cost } = valueHelpers[name];
  const given = node.params.map((param) => {
    const ready = compileExpression(param, lexical);
    return {
      source: ready.source,
      isLiteral: param.type.endsWith('Literal'),
      read: name === 'lookup' ? ready.evaluate : requireValue(ready),
    };
  });
  const { line } = node.loc.start;
  const read: Evaluate = (scope, run) => {
    const [subject = absentArgument, option = absentArgument] = given.map(({ read: readArgument, ...argument }) => ({
      ...argument,
      value: readArgument(scope, run),
    }));
    const reads = (characters: number): void => countSteps(run, characters * cost.character);
    const call: HelperCall = { line, locale: run.locale, timeZone: run.timeZone, raw, countCharacters: reads };
    const result = compute(call, subject, option);
    countSteps(run, cost.call);
    // What `lookup` finds is neither read nor made.
    if (typeof result === 'string' && name !== 'lookup') reads(result.length);
    return result;
  };
  const asWritten = sourceOfCall(node);
  return { evaluate: read, source: asWritten, fullPath: () => asWritten, line };
};
