import Handlebars from 'handlebars';
import type { Block, Mustache, Path, Program, Statement } from './ast.ts';
import { lineOf } from './ast.ts';
import { blockHelpers } from './blocks.ts';
import type { Ready } from './expression.ts';
import { needed, prepare, prepareCall } from './expression.ts';
import type { Lexical } from './lexical.ts';
import { couldBeHelper, outermost } from './lexical.ts';
import { spend, write } from './run.ts';
import type { BlockHelperName } from './signatures.ts';
import { isHelper } from './signatures.ts';
import type { Step, StepsOf } from './step.ts';
import { textOf } from './text-of.ts';

const content = (value: string): Step[] => {
  const bytes = Buffer.byteLength(value);
  return bytes === 0 ? [] : [(_, run) => write(run, value, bytes)];
};

const subjectOf = (node: Mustache, lexical: Lexical): Ready => {
  const { path } = node;
  // A literal in braces, {{"first name"}}, names a member of the context, as in Handlebars.
  if (path.type !== 'PathExpression') {
    const name = 'value' in path ? String(path.value) : path.type === 'NullLiteral' ? 'null' : 'undefined';
    return prepare({ type: 'PathExpression', loc: path.loc, data: false, depth: 0, parts: [name], original: name } satisfies Path, lexical);
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

const block = (node: Block, lexical: Lexical): Step => blockHelpers[node.path.original as BlockHelperName]({ block: node, lexical, stepsOf });

const stepOf = (node: Statement, lexical: Lexical): Step[] => {
  switch (node.type) {
    case 'ContentStatement':
      return content(node.value);
    case 'MustacheStatement':
      return [mustache(node, lexical)];
    case 'BlockStatement':
      return [block(node, lexical)];
    default:
      return [];
  }
};

const stepsOf: StepsOf = (program, lexical) => {
  const steps = (program?.body ?? []).flatMap((node) => stepOf(node, lexical));
  return (scope, run) => {
    spend(run, steps.length);
    for (const step of steps) step(scope, run);
  };
};

/** Turns a template that has passed the check into functions over data: values only ever meet values, never generated code. */
export const prepareProgram = (program: Program): Step => stepsOf(program, outermost);
