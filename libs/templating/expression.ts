import { type Expression, type Hash, lineOf, type Path, type SubExpression, sourceOf, sourceOfCall } from './ast.ts';
import type { Argument, HelperCall } from './template-helpers/helper-call.ts';
import { type ValueHelperName, valueHelpers } from './template-helpers/helper-registry.ts';
import { type LexicalScope, type PathStart, resolvePathStart } from './lexical-scope.ts';
import { missingValue, UnsuitableValue } from './data-problems.ts';
import { directionOf } from './labels.ts';
import { countSteps, type ExpansionState, joinPath, type Loop, recordProblem } from './expansion.ts';
import { type Scope, scopeAbove } from './expansion.ts';
import { ownMember } from './values.ts';

/** Computes an expression's value; undefined if the data has none. */
export type Evaluate = (scope: Scope, state: ExpansionState) => unknown;

/**
 * A compiled expression. `source` is its text in the template; `fullPath` is its path from the top of the data, for
 * messages.
 */
export type CompiledExpression = {
  evaluate: Evaluate;
  source: string;
  fullPath: (scope: Scope) => string;
  line: number;
};

/** The number of path parts that count as one step. */
const partsPerStep = 8;

const readPath = (from: unknown, parts: readonly string[], state: ExpansionState): unknown => {
  if (parts.length > partsPerStep) countSteps(state, parts.length / partsPerStep);
  let value = from;
  for (const part of parts) {
    if (value === undefined) return undefined;
    value = ownMember(value, part);
  }
  return value;
};

const loopAbove = (scope: Scope, hops: number): Loop | undefined => {
  let loop = scope.loop;
  for (let remaining = hops; remaining > 0 && loop; remaining -= 1) loop = loop.outer;
  return loop;
};

const compileRead = (start: PathStart): Evaluate => {
  const { rest } = start;
  switch (start.from) {
    case 'root':
      return (_, state) => readPath(state.data, rest, state);
    case 'document': {
      const { name } = start;
      return (_, state) => readPath(name === 'locale' ? state.locale : directionOf(state.locale), rest, state);
    }
    case 'loop':
      return (scope, state) => readPath(ownMember(loopAbove(scope, start.hops), start.name), rest, state);
    case 'name':
      return (scope, state) => readPath(scopeAbove(scope, start.hops)?.blockParams[start.position], rest, state);
    case 'context': {
      const [name] = rest;
      if (start.hops === 0 && name !== undefined && rest.length === 1) return (scope) => ownMember(scope.context, name);
      return (scope, state) => readPath(scopeAbove(scope, start.hops)?.context, rest, state);
    }
    default:
      throw new TypeError('unknown start of a path', { cause: start satisfies never });
  }
};

const fullPath = (start: PathStart, source: string, scope: Scope): string => {
  if (start.from === 'loop' || start.from === 'document' || (start.from === 'name' && start.position > 0))
    return source;
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

/** Compiles an expression that may have no value, such as the condition of an `if`. */
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
      throw new TypeError('unknown kind of expression', { cause: node satisfies never });
  }
};

const compileConstant = (node: Expression, value: unknown): CompiledExpression => ({
  evaluate: () => value,
  source: sourceOf(node),
  fullPath: () => sourceOf(node),
  line: lineOf(node),
});

/** The same for an expression that must have a value. Without one, the problem is recorded, and the value is null. */
export const requireValue =
  ({ evaluate, source, fullPath, line }: CompiledExpression): Evaluate =>
  (scope, state) => {
    const value = evaluate(scope, state);
    return value === undefined ? recordProblem(state, missingValue(source, fullPath(scope), line)) : value;
  };

/** Does work that may find an unsuitable value. Then the problem is recorded, and the result is null. */
export const recordUnsuitableValue = <T>(
  state: ExpansionState,
  pathOf: (source: string) => string,
  work: () => T,
): T | null => {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UnsuitableValue)) throw error;
    return recordProblem(state, error.toProblem(pathOf(error.source)));
  }
};

const absentArgument: Argument = { value: undefined, source: '', isLiteral: true };

/** Compiles a helper call. `raw` says that its result is not escaped. */
export const compileCall = (
  node: Pick<SubExpression, 'path' | 'params' | 'loc'> & { hash?: Hash },
  lexical: LexicalScope,
  raw: boolean,
): CompiledExpression => {
  const name = node.path.original as ValueHelperName;
  const { compute, cost } = valueHelpers[name];
  const parameters = node.params.map((param) => {
    const compiled = compileExpression(param, lexical);
    return {
      source: compiled.source,
      fullPath: compiled.fullPath,
      isLiteral: param.type.endsWith('Literal'),
      read: name === 'lookup' ? compiled.evaluate : requireValue(compiled),
    };
  });
  const namedParameters = (node.hash?.pairs ?? []).map(({ key, value }) => {
    const compiled = compileExpression(value, lexical);
    return { key, source: compiled.source, fullPath: compiled.fullPath, read: requireValue(compiled) };
  });
  const readNamed = (scope: Scope, state: ExpansionState) =>
    Object.fromEntries(namedParameters.map(({ key, read: readArgument }) => [key, readArgument(scope, state)]));
  const { line } = node.loc.start;
  const read: Evaluate = (scope, state) => {
    const { unusableValues } = state;
    const [subject = absentArgument, option = absentArgument] = parameters.map(
      ({ read: readArgument, source, isLiteral }) => ({ source, isLiteral, value: readArgument(scope, state) }),
    );
    const named = namedParameters.length > 0 ? readNamed(scope, state) : {};
    if (state.unusableValues !== unusableValues) return null;
    const countCharacters = (characters: number): void => countSteps(state, characters * cost.character);
    const { locale, timeZone, labels } = state;
    const call: HelperCall = { line, locale, timeZone, labels, named, raw, countCharacters };
    const pathOf = (source: string) => parameters.find((one) => one.source === source)?.fullPath(scope) ?? source;
    const result = recordUnsuitableValue(state, pathOf, () => compute(call, subject, option));
    countSteps(state, cost.call);
    // `lookup` only returns a value of the data.
    if (typeof result === 'string' && name !== 'lookup') countCharacters(result.length);
    return result;
  };
  const source = sourceOfCall(node);
  const [holder] = parameters;
  const member = node.params[1];
  const lookupPath = (scope: Scope): string =>
    member?.type === 'StringLiteral'
      ? joinPath(holder?.fullPath(scope) ?? '', [member.value])
      : `${holder?.fullPath(scope)}[${member && sourceOf(member)}]`;
  return { evaluate: read, source, fullPath: name === 'lookup' ? lookupPath : () => source, line };
};
