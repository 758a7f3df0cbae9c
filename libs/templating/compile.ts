import Handlebars from 'handlebars';
import { type Block, lineOf, type Mustache, type Path, type Program, type Statement } from './ast.ts';
import { compileCall, type CompiledExpression, compileExpression } from './expression.ts';
import { recordUnsuitableValue, requireValue } from './expression.ts';
import { UnsuitableValue } from './data-problems.ts';
import { type BlockHelperName, isReservedName } from './template-helpers/helper-registry.ts';
import { couldBeHelper, type LexicalScope, rootLexicalScope, childLexicalScope } from './lexical-scope.ts';
import {
  countSteps,
  type ExpansionState,
  joinPath,
  recordProblem,
  type Scope,
  type Step,
  writeText,
} from './expansion.ts';
import { describeValue, truncateForMessage } from './messages.ts';
import { isExactNumber } from '#contracts/http/exact-numbers.ts';
import { ownMember, valueToText } from './values.ts';

const compileContent = (value: string): Step[] => {
  const bytes = Buffer.byteLength(value);
  return bytes === 0 ? [] : [(_, state) => writeText(state, value, bytes)];
};

const compileSubject = (node: Mustache, lexical: LexicalScope): CompiledExpression => {
  const { path } = node;
  // A literal in braces, {{"first name"}}, names a member of the context, as in Handlebars.
  if (path.type !== 'PathExpression') {
    const name = 'value' in path ? String(path.value) : path.type === 'NullLiteral' ? 'null' : 'undefined';
    const member: Path = {
      type: 'PathExpression',
      loc: path.loc,
      data: false,
      depth: 0,
      parts: [name],
      original: name,
    };
    return compileExpression(member, lexical);
  }
  const isCall = node.params.length > 0 || (couldBeHelper(path, lexical) && isReservedName(path.original));
  return isCall ? compileCall({ ...node, path }, lexical, !node.escaped) : compileExpression(path, lexical);
};

const compileMustache = (node: Mustache, lexical: LexicalScope): Step => {
  const subject = compileSubject(node, lexical);
  const read = requireValue(subject);
  const line = lineOf(node);
  return (scope, state) => {
    const value = read(scope, state);
    const toText = () => valueToText(value, subject.source, line);
    const text = recordUnsuitableValue(state, () => subject.fullPath(scope), toText) ?? '';
    const safe = node.escaped ? Handlebars.Utils.escapeExpression(text) : text;
    writeText(state, safe, Buffer.byteLength(safe));
  };
};

const compileBlockArgument = ({ params }: Block, lexical: LexicalScope): CompiledExpression => {
  const [argument] = params;
  if (!argument) throw new TypeError('a block without an argument passed the check');
  return compileExpression(argument, lexical);
};

const isTruthy = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));

const compileConditional =
  (expected: boolean) =>
  (block: Block, lexical: LexicalScope): Step => {
    const subject = compileBlockArgument(block, lexical);
    const zero = block.hash?.pairs.find(({ key }) => key === 'includeZero');
    const isZeroTrue = zero ? compileExpression(zero.value, lexical).evaluate : () => false;
    const thenBody = compileBody(block.program, lexical);
    const elseBody = compileBody(block.inverse, lexical);
    return (scope, state) => {
      const value = subject.evaluate(scope, state);
      const isTrue = value === 0 ? Boolean(isZeroTrue(scope, state)) : isTruthy(value);
      (isTrue === expected ? thenBody : elseBody)(scope, state);
    };
  };

const compileWith = (block: Block, lexical: LexicalScope): Step => {
  const subject = compileBlockArgument(block, lexical);
  const body = compileBody(block.program, childLexicalScope(lexical, block.program?.blockParams));
  const elseBody = compileBody(block.inverse, lexical);
  return (scope, state) => {
    const context = subject.evaluate(scope, state);
    if (context !== 0 && !isTruthy(context)) return elseBody(scope, state);
    body(
      { context, parent: scope, loop: scope.loop, blockParams: [context], path: () => subject.fullPath(scope) },
      state,
    );
  };
};

type Iterate = (item: unknown, key: string | number, index: number, isLast: boolean) => void;

const createIterate = (
  body: Step,
  parent: Scope,
  state: ExpansionState,
  pathOfItem: (key: string | number) => string,
): Iterate => {
  const loop = { index: 0, number: 1, key: 0 as string | number, first: true, last: false, outer: parent.loop };
  const scope: Scope = { context: undefined, parent, loop, blockParams: [], path: () => pathOfItem(loop.key) };
  return (item, key, index, isLast) => {
    countSteps(state, 1);
    Object.assign(loop, { index, number: index + 1, key, first: index === 0, last: isLast });
    scope.context = item;
    scope.blockParams = [item, key];
    body(scope, state);
  };
};

const isIterable = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !isExactNumber(value);

const notIterable = (value: unknown, { source, line }: CompiledExpression): UnsuitableValue => {
  const found = `"${truncateForMessage(source)}" is ${describeValue(value)}, which is not a list`;
  return new UnsuitableValue(source, line, `${found}; {{#each}} needs a list such as ["A", "B"], or an object.`);
};

const compileEach = (block: Block, lexical: LexicalScope): Step => {
  const subject = compileBlockArgument(block, lexical);
  const body = compileBody(block.program, childLexicalScope(lexical, block.program?.blockParams));
  const elseBody = compileBody(block.inverse, lexical);
  return (scope, state) => {
    const items = subject.evaluate(scope, state);
    if (!isTruthy(items)) return elseBody(scope, state);
    if (!isIterable(items)) return recordProblem(state, notIterable(items, subject).toProblem(subject.fullPath(scope)));
    if (Array.isArray(items)) {
      const iterate = createIterate(body, scope, state, (key) => `${subject.fullPath(scope)}[${key}]`);
      return items.forEach((item, index) => iterate(item, index, index, index === items.length - 1));
    }
    const keys = Object.keys(items);
    countSteps(state, keys.length);
    if (keys.length === 0) return elseBody(scope, state);
    const iterate = createIterate(body, scope, state, (key) => joinPath(subject.fullPath(scope), [String(key)]));
    keys.forEach((key, index) => iterate(ownMember(items, key), key, index, index === keys.length - 1));
  };
};

const blockHelpers: Record<BlockHelperName, (block: Block, lexical: LexicalScope) => Step> = {
  if: compileConditional(true),
  unless: compileConditional(false),
  with: compileWith,
  each: compileEach,
};

const compileStatement = (node: Statement, lexical: LexicalScope): Step[] => {
  switch (node.type) {
    case 'ContentStatement':
      return compileContent(node.value);
    case 'MustacheStatement':
      return [compileMustache(node, lexical)];
    case 'BlockStatement':
      return [blockHelpers[node.path.original as BlockHelperName](node, lexical)];
    default:
      return [];
  }
};

const compileBody = (program: Program | undefined, lexical: LexicalScope): Step => {
  const steps = (program?.body ?? []).flatMap((node) => compileStatement(node, lexical));
  return (scope, state) => {
    countSteps(state, steps.length);
    for (const step of steps) step(scope, state);
  };
};

/** Compiles a checked template into functions over data. No code is generated. */
export const compileProgram = (program: Program): Step => compileBody(program, rootLexicalScope);
