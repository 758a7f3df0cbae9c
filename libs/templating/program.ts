import Handlebars from 'handlebars';
import { type Block, lineOf, type Mustache, type Path, type Program, type Statement } from './ast.ts';
import { needed, prepare, prepareCall, type Ready } from './expression.ts';
import { type BlockHelperName, isHelper } from './functions/functions.ts';
import { couldBeHelper, type Lexical, outermost, within } from './lexical.ts';
import { joined, type Run, type Scope, spend, type Step, write } from './run.ts';
import { ownMember, textOf } from './values.ts';

const content = (value: string): Step[] => {
  const bytes = Buffer.byteLength(value);
  return bytes === 0 ? [] : [(_, run) => write(run, value, bytes)];
};

const subjectOf = (node: Mustache, lexical: Lexical): Ready => {
  const { path } = node;
  // A literal in braces, {{"first name"}}, names a member of the context, as in Handlebars.
  if (path.type !== 'PathExpression') {
    const name = 'value' in path ? String(path.value) : path.type === 'NullLiteral' ? 'null' : 'undefined';
    const member: Path = { type: 'PathExpression', loc: path.loc, data: false, depth: 0, parts: [name], original: name };
    return prepare(member, lexical);
  }
  const isCall = node.params.length > 0 || (couldBeHelper(path, lexical) && isHelper(path.original));
  return isCall ? prepareCall({ ...node, path }, lexical, !node.escaped) : prepare(path, lexical);
};

const mustache = (node: Mustache, lexical: Lexical): Step => {
  const subject = subjectOf(node, lexical);
  const read = needed(subject);
  const line = lineOf(node);
  return (scope, run) => {
    const text = textOf(read(scope, run), subject.written, line);
    const safe = node.escaped ? Handlebars.Utils.escapeExpression(text) : text;
    write(run, safe, Buffer.byteLength(safe));
  };
};

const argumentOf = ({ params }: Block, lexical: Lexical): Ready => {
  const [argument] = params;
  if (!argument) throw new TypeError('a block without its argument has passed the check');
  return prepare(argument, lexical);
};

const holds = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));

const condition =
  (wanted: boolean) =>
  (block: Block, lexical: Lexical): Step => {
    const subject = argumentOf(block, lexical);
    const zero = block.hash?.pairs.find(({ key }) => key === 'includeZero');
    const zeroHolds = zero ? prepare(zero.value, lexical).read : () => false;
    const then = stepsOf(block.program, lexical);
    const otherwise = stepsOf(block.inverse, lexical);
    return (scope, run) => {
      const value = subject.read(scope, run);
      const isTrue = value === 0 ? Boolean(zeroHolds(scope, run)) : holds(value);
      (isTrue === wanted ? then : otherwise)(scope, run);
    };
  };

const withBlock = (block: Block, lexical: Lexical): Step => {
  const subject = argumentOf(block, lexical);
  const inside = stepsOf(block.program, within(lexical, block.program?.blockParams));
  const otherwise = stepsOf(block.inverse, lexical);
  return (scope, run) => {
    const context = subject.read(scope, run);
    if (context !== 0 && !holds(context)) return otherwise(scope, run);
    inside({ context, up: scope, loop: scope.loop, given: [context], trail: () => subject.full(scope) }, run);
  };
};

type Round = (item: unknown, key: string | number, index: number, isLast: boolean) => void;

const rounds = (body: Step, up: Scope, run: Run, trailOfRound: (key: string | number) => string): Round => {
  const loop = { index: 0, key: 0 as string | number, first: true, last: false, outer: up.loop };
  const scope: Scope = { context: undefined, up, loop, given: [], trail: () => trailOfRound(loop.key) };
  return (item, key, index, isLast) => {
    spend(run, 1);
    Object.assign(loop, { index, key, first: index === 0, last: isLast });
    scope.context = item;
    scope.given = [item, key];
    body(scope, run);
  };
};

const eachBlock = (block: Block, lexical: Lexical): Step => {
  const subject = argumentOf(block, lexical);
  const body = stepsOf(block.program, within(lexical, block.program?.blockParams));
  const otherwise = stepsOf(block.inverse, lexical);
  return (scope, run) => {
    const items = subject.read(scope, run);
    if (Array.isArray(items) && items.length > 0) {
      const round = rounds(body, scope, run, (key) => `${subject.full(scope)}[${key}]`);
      return items.forEach((item, index) => round(item, index, index, index === items.length - 1));
    }
    const keys = items !== null && typeof items === 'object' ? Object.keys(items) : [];
    spend(run, keys.length);
    if (keys.length === 0) return otherwise(scope, run);
    const round = rounds(body, scope, run, (key) => joined(subject.full(scope), [String(key)]));
    keys.forEach((key, index) => round(ownMember(items, key), key, index, index === keys.length - 1));
  };
};

const blockHelpers: Record<BlockHelperName, (block: Block, lexical: Lexical) => Step> = {
  if: condition(true),
  unless: condition(false),
  with: withBlock,
  each: eachBlock,
};

const stepOf = (node: Statement, lexical: Lexical): Step[] => {
  switch (node.type) {
    case 'ContentStatement':
      return content(node.value);
    case 'MustacheStatement':
      return [mustache(node, lexical)];
    case 'BlockStatement':
      return [blockHelpers[node.path.original as BlockHelperName](node, lexical)];
    default:
      return [];
  }
};

/** The statements of a body; one that is not there expands to nothing. */
const stepsOf = (program: Program | undefined, lexical: Lexical): Step => {
  const steps = (program?.body ?? []).flatMap((node) => stepOf(node, lexical));
  return (scope, run) => {
    spend(run, steps.length);
    for (const step of steps) step(scope, run);
  };
};

/** Turns a checked template into functions over data: values only ever meet values, never generated code. */
export const prepareProgram = (program: Program): Step => stepsOf(program, outermost);
