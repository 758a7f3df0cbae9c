import { type Expression, type Hash, lineOf, type Path, type SubExpression, written, writtenCall } from './ast.ts';
import type { Argument, Call } from './functions/call.ts';
import { type ValueHelperName, valueHelpers } from './functions/functions.ts';
import { type Lexical, type Start, startOf } from './lexical.ts';
import { missing } from './messages.ts';
import { joined, type Loop, type Run, type Scope, scopeAbove, spend } from './run.ts';
import { ownMember } from './values.ts';

/** Computes an expression's value; undefined where the data has none. */
export type Read = (scope: Scope, run: Run) => unknown;

/** An expression made ready: how to read it, and its path from the top of the data as a person would write it. */
export type Ready = { read: Read; written: string; full: (scope: Scope) => string; line: number };

/** Parts of a path that are read together count as one step. */
const partsPerStep = 8;

const descend = (from: unknown, parts: readonly string[], run: Run): unknown => {
  if (parts.length > partsPerStep) spend(run, parts.length / partsPerStep);
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

const reader = (start: Start): Read => {
  const { rest } = start;
  switch (start.from) {
    case 'root':
      return (_, run) => descend(run.data, rest, run);
    case 'loop':
      return (scope, run) => descend(ownMember(loopAbove(scope, start.hops), start.name), rest, run);
    case 'name':
      return (scope, run) => descend(scopeAbove(scope, start.hops)?.given[start.position], rest, run);
    case 'context': {
      const [only] = rest;
      if (start.hops === 0 && only !== undefined && rest.length === 1) return (scope) => ownMember(scope.context, only);
      return (scope, run) => descend(scopeAbove(scope, start.hops)?.context, rest, run);
    }
    default:
      throw new TypeError('a path with an unknown beginning', { cause: start satisfies never });
  }
};

const fullPath = (start: Start, asWritten: string, scope: Scope): string => {
  if (start.from === 'loop' || (start.from === 'name' && start.position > 0)) return asWritten;
  if (start.from === 'root') return joined('', start.rest);
  return joined(scopeAbove(scope, start.hops)?.trail() ?? '', start.rest);
};

const preparePath = (path: Path, lexical: Lexical): Ready => {
  const start = startOf(path, lexical);
  return { read: reader(start), written: path.original, full: (scope) => fullPath(start, path.original, scope), line: lineOf(path) };
};

/** Makes an expression ready that may be without a value, such as the condition of an `if`. */
export const prepare = (node: Expression, lexical: Lexical): Ready => {
  switch (node.type) {
    case 'PathExpression':
      return preparePath(node, lexical);
    case 'SubExpression':
      return prepareCall(node, lexical, true);
    case 'UndefinedLiteral':
      return constant(node, undefined);
    case 'NullLiteral':
      return constant(node, null);
    case 'StringLiteral':
    case 'NumberLiteral':
    case 'BooleanLiteral':
      return constant(node, node.value);
    default:
      throw new TypeError('an expression of an unknown kind', { cause: node satisfies never });
  }
};

const constant = (node: Expression, value: unknown): Ready => ({ read: () => value, written: written(node), full: () => written(node), line: lineOf(node) });

/** The same, where a value is needed: without one, the expansion fails and names it. */
export const needed = ({ read, written: asWritten, full, line }: Ready): Read => (scope, run) => {
  const value = read(scope, run);
  if (value === undefined) throw missing(asWritten, full(scope), line);
  return value;
};

const nothing: Argument = { value: undefined, written: '', literal: true };

/** Makes a helper's call ready. `raw` says whether its result reaches the document as it stands. */
export const prepareCall = (node: Pick<SubExpression, 'path' | 'params' | 'loc'> & { hash?: Hash }, lexical: Lexical, raw: boolean): Ready => {
  const name = node.path.original as ValueHelperName;
  const { compute, cost } = valueHelpers[name];
  const given = node.params.map((param) => {
    const ready = prepare(param, lexical);
    return { written: ready.written, literal: param.type.endsWith('Literal'), read: name === 'lookup' ? ready.read : needed(ready) };
  });
  const { line } = node.loc.start;
  const read: Read = (scope, run) => {
    const [subject = nothing, option = nothing] = given.map(({ read: readArgument, ...argument }) => ({ ...argument, value: readArgument(scope, run) }));
    const reads = (characters: number): void => spend(run, characters * cost.character);
    const call: Call = { line, locale: run.locale, timeZone: run.timeZone, raw, reads };
    const result = compute(call, subject, option);
    spend(run, cost.call);
    // What `lookup` finds is neither read nor made.
    if (typeof result === 'string' && name !== 'lookup') reads(result.length);
    return result;
  };
  const asWritten = writtenCall(node);
  return { read, written: asWritten, full: () => asWritten, line };
};
