import Handlebars from 'handlebars';
import { type Block, lineOf, type Mustache, type Path, type Program, type Statement } from './ast.ts';
import { requireValue, compileExpression, compileCall, type CompiledExpression } from './expression.ts';
import { type BlockHelperName, isHelper } from './template-helpers/helper-registry.ts';
import { couldBeHelper, type LexicalScope, rootLexicalScope, childLexicalScope } from './lexical-scope.ts';
import { joinPath, type ExpansionState, type Scope, countSteps, type Step, writeText } from './expansion.ts';
import { ownMember, valueToText } from './values.ts';

const compileContent = (value: string): Step[] => {
  const bytes = Buffer.byteLength(value);
  return bytes === 0 ? [] : [(_, run) => writeText(run, value, bytes)];
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
  const isCall = node.params.length > 0 || (couldBeHelper(path, lexical) && isHelper(path.original));
  return isCall ? compileCall({ ...node, path }, lexical, !node.escaped) : compileExpression(path, lexical);
};

const compileMustache = (node: Mustache, lexical: LexicalScope): Step => {
  const subject = compileSubject(node, lexical);
  const read = requireValue(subject);
  const line = lineOf(node);
  return (scope, run) => {
    const text = valueToText(read(scope, run), subject.source, line);
    const safe = node.escaped ? Handlebars.Utils.escapeExpression(text) : text;
    writeText(run, safe, Buffer.byteLength(safe));
  };
};

const compileBlockArgument = ({ params }: Block, lexical: LexicalScope): CompiledExpression => {
  const [argument] = params;
  if (!argument) throw new TypeError('a block without its argument has passed the check');
  return compileExpression(argument, lexical);
};

const isTruthy = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));

const compileConditional =
  (wanted: boolean) =>
  (block: Block, lexical: LexicalScope): Step => {
    const subject = compileBlockArgument(block, lexical);
    const zero = block.hash?.pairs.find(({ key }) => key === 'includeZero');
    const zeroHolds = zero ? compileExpression(zero.value, lexical).evaluate : () => false;
    const then = compileBody(block.program, lexical);
    const otherwise = compileBody(block.inverse, lexical);
    return (scope, run) => {
      const value = subject.evaluate(scope, run);
      const isTrue = value === 0 ? Boolean(zeroHolds(scope, run)) : isTruthy(value);
      (isTrue === wanted ? then : otherwise)(scope, run);
    };
  };

const compileWith = (block: Block, lexical: LexicalScope): Step => {
  const subject = compileBlockArgument(block, lexical);
  const inside = compileBody(block.program, childLexicalScope(lexical, block.program?.blockParams));
  const otherwise = compileBody(block.inverse, lexical);
  return (scope, run) => {
    const context = subject.evaluate(scope, run);
    if (context !== 0 && !isTruthy(context)) return otherwise(scope, run);
    inside(
      { context, parent: scope, loop: scope.loop, blockParams: [context], path: () => subject.fullPath(scope) },
      run,
    );
  };
};

type Iterate = (item: unknown, key: string | number, index: number, isLast: boolean) => void;

const createIterate = (
  body: Step,
  up: Scope,
  run: ExpansionState,
  trailOfRound: (key: string | number) => string,
): Iterate => {
  const loop = { index: 0, key: 0 as string | number, first: true, last: false, outer: up.loop };
  const scope: Scope = { context: undefined, parent: up, loop, blockParams: [], path: () => trailOfRound(loop.key) };
  return (item, key, index, isLast) => {
    countSteps(run, 1);
    Object.assign(loop, { index, key, first: index === 0, last: isLast });
    scope.context = item;
    scope.blockParams = [item, key];
    body(scope, run);
  };
};

const compileEach = (block: Block, lexical: LexicalScope): Step => {
  const subject = compileBlockArgument(block, lexical);
  const body = compileBody(block.program, childLexicalScope(lexical, block.program?.blockParams));
  const otherwise = compileBody(block.inverse, lexical);
  return (scope, run) => {
    const items = subject.evaluate(scope, run);
    if (Array.isArray(items) && items.length > 0) {
      const round = createIterate(body, scope, run, (key) => `${subject.fullPath(scope)}[${key}]`);
      return items.forEach((item, index) => round(item, index, index, index === items.length - 1));
    }
    const keys = items !== null && typeof items === 'object' ? Object.keys(items) : [];
    countSteps(run, keys.length);
    if (keys.length === 0) return otherwise(scope, run);
    const round = createIterate(body, scope, run, (key) => joinPath(subject.fullPath(scope), [String(key)]));
    keys.forEach((key, index) => round(ownMember(items, key), key, index, index === keys.length - 1));
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

/** The statements of a body; one that is not there expands to nothing. */
const compileBody = (program: Program | undefined, lexical: LexicalScope): Step => {
  const steps = (program?.body ?? []).flatMap((node) => compileStatement(node, lexical));
  return (scope, run) => {
    countSteps(run, steps.length);
    for (const step of steps) step(scope, run);
  };
};

/** Turns a checked template into functions over data: values only ever meet values, never generated code. */
export const compileProgram = (program: Program): Step => compileBody(program, rootLexicalScope);
