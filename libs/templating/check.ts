import {
  type Block, type Expression, type Hash, lineOf, type Literal, type Mustache, type Path, type Program, type Statement, written,
} from './ast.ts';
import { helperNames, helpers, isHelper } from './functions/functions.ts';
import { couldBeHelper, type Lexical, outermost, startOf, within } from './lexical.ts';
import { shown } from './messages.ts';
import type { SyntaxFault } from './parse.ts';

/** A use of the data itself: the path's parts from the data's top, as far as the template alone can tell. */
export type Use = { parts: string[]; line: number };
export type Checked = { faults: SyntaxFault[]; uses: Use[] };

type Call = { path: Path | Literal; params: Expression[]; hash?: Hash; loc: Mustache['loc'] };
type Walk = Checked & { lexical: Lexical };

const loopVariables = ['index', 'key', 'first', 'last'];

const fault = (walk: Walk, node: { loc: Mustache['loc'] }, message: string) => void walk.faults.push({ message, line: lineOf(node) });

const checkPath = (path: Path, walk: Walk) => {
  const start = startOf(path, walk.lexical);
  if (start.from === 'loop' && !loopVariables.includes(start.name)) {
    return fault(walk, path, `There is no {{@${shown(start.name)}}}; there are @root, ${loopVariables.map((name) => `@${name}`).join(', ')}.`);
  }
  if (start.from === 'root' && start.rest.length > 0) walk.uses.push({ parts: start.rest, line: lineOf(path) });
  if (start.from !== 'context') return;
  let scope: Lexical | undefined = walk.lexical;
  for (let hops = start.hops; hops > 0 && scope; hops -= 1) scope = scope.up;
  if (scope && !scope.up && start.rest.length > 0) walk.uses.push({ parts: start.rest, line: lineOf(path) });
};

const checkExpression = (node: Expression, walk: Walk): void => {
  if (node.type === 'PathExpression') checkPath(node, walk);
  if (node.type === 'SubExpression') checkCall(node, 'value', walk);
};

const checkSignature = (call: Call, form: 'block' | 'value', walk: Walk) => {
  const name = written(call.path);
  if (call.path.type !== 'PathExpression' || !couldBeHelper(call.path, walk.lexical) || !isHelper(name)) {
    return fault(walk, call, `There is no helper "${shown(name)}"; there are ${helperNames}.`);
  }
  const signature = helpers[name];
  const [least, most] = signature.arguments;
  const unknownName = call.hash?.pairs.find(({ key }) => !signature.named.includes(key));
  if (signature.form !== form) fault(walk, call, `"${name}" is used as ${signature.usage}.`);
  else if (call.params.length < least || call.params.length > most) {
    fault(walk, call, `"${name}" takes ${least} argument${least === 1 ? '' : 's'}, as in ${signature.usage}; a variable of that name is written {{this.${name}}}.`);
  } else if (unknownName) fault(walk, call, `"${name}" takes no argument named "${shown(unknownName.key)}".`);
};

const checkCall = (call: Call, form: 'block' | 'value', walk: Walk): void => {
  checkSignature(call, form, walk);
  for (const param of call.params) checkExpression(param, walk);
  for (const { value } of call.hash?.pairs ?? []) checkExpression(value, walk);
};

const isCall = ({ path, params, hash }: Mustache, walk: Walk) =>
  params.length > 0 || hash !== undefined || (path.type === 'PathExpression' && couldBeHelper(path, walk.lexical) && isHelper(path.original));

const checkBlock = (node: Block, walk: Walk) => {
  checkCall(node, 'block', walk);
  const opensContext = node.path.original === 'each' || node.path.original === 'with';
  const names = node.program?.blockParams ?? [];
  if (names.length > 0 && !opensContext) fault(walk, node, `"${shown(node.path.original)}" gives no names with "as |...|"; each and with do.`);
  if (node.program) checkProgram(node.program, opensContext ? { ...walk, lexical: within(walk.lexical, names) } : walk);
  if (node.inverse) checkProgram(node.inverse, walk);
};

const checkStatement = (node: Statement, walk: Walk): void => {
  switch (node.type) {
    case 'ContentStatement':
    case 'CommentStatement':
      return;
    case 'MustacheStatement':
      if (isCall(node, walk)) checkCall(node, 'value', walk);
      else if (node.path.type === 'PathExpression') checkPath(node.path, walk);
      return;
    case 'BlockStatement':
      return checkBlock(node, walk);
    case 'PartialStatement':
    case 'PartialBlockStatement':
      return fault(walk, node, 'A template cannot include another: partials ({{> name}}) are not allowed.');
    case 'Decorator':
    case 'DecoratorBlock':
      return fault(walk, node, 'Decorators ({{* name}}), inline partials among them, are not allowed.');
    default:
      return fault(walk, node satisfies never, 'This kind of tag is not allowed.');
  }
};

const checkProgram = (program: Program, walk: Walk): void => {
  for (const statement of program.body) checkStatement(statement, walk);
};

/** What in a parsed template is not allowed, and which parts of the data it uses, both in the order of the text. */
export const checkTemplate = (program: Program): Checked => {
  const walk: Walk = { faults: [], uses: [], lexical: outermost };
  checkProgram(program, walk);
  return { faults: walk.faults, uses: walk.uses };
};
