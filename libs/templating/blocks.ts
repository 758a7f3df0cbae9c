import type { Block } from './ast.ts';
import { prepare } from './expression.ts';
import type { Lexical } from './lexical.ts';
import { within } from './lexical.ts';
import { ownMember } from './reserved.ts';
import type { Run } from './run.ts';
import { spend } from './run.ts';
import type { Scope } from './scope.ts';
import { joined } from './scope.ts';
import type { BlockHelperName } from './signatures.ts';
import type { Step, StepsOf } from './step.ts';

type Blocks = { block: Block; lexical: Lexical; stepsOf: StepsOf };

const subjectOf = ({ block, lexical }: Blocks) => {
  const [subject] = block.params;
  if (!subject) throw new TypeError('a block without its argument has passed the check');
  return prepare(subject, lexical);
};

const holds = (value: unknown) => (Array.isArray(value) ? value.length > 0 : Boolean(value));

const condition =
  (wanted: boolean) =>
  (blocks: Blocks): Step => {
    const { block, lexical, stepsOf } = blocks;
    const subject = subjectOf(blocks);
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

const withBlock = (blocks: Blocks): Step => {
  const { block, lexical, stepsOf } = blocks;
  const subject = subjectOf(blocks);
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

const eachBlock = (blocks: Blocks): Step => {
  const { block, lexical, stepsOf } = blocks;
  const subject = subjectOf(blocks);
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

/** How each block helper expands. */
export const blockHelpers: Record<BlockHelperName, (blocks: Blocks) => Step> = {
  if: condition(true),
  unless: condition(false),
  with: withBlock,
  each: eachBlock,
};
