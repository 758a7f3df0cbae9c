import {
  type Block,
  type Expression,
  type Hash,
  lineOf,
  type Literal,
  type Mustache,
  type Path,
  type Program,
  type Statement,
  sourceOf,
} from './ast.ts';
import { helperNames, helpers, isHelper } from './template-helpers/helper-registry.ts';
import {
  couldBeHelper,
  type LexicalScope,
  rootLexicalScope,
  resolvePathStart,
  childLexicalScope,
} from './lexical-scope.ts';
import { truncateForMessage } from './messages.ts';
import type { TemplateSyntaxError } from './parse.ts';

/** A use of the data itself: the path's parts from the data's top, as far as the template alone can tell. */
export type VariableUse = { parts: string[]; line: number };
export type TemplateCheckResult = { errors: TemplateSyntaxError[]; uses: VariableUse[] };

type HelperCallNode = { path: Path | Literal; params: Expression[]; hash?: Hash; loc: Mustache['loc'] };
type CheckContext = TemplateCheckResult & { lexical: LexicalScope };

const loopVariables = ['index', 'key', 'first', 'last'];

const reportError = (walk: CheckContext, node: { loc: Mustache['loc'] }, message: string) =>
  void walk.errors.push({ message, line: lineOf(node) });

const checkPath = (path: Path, walk: CheckContext) => {
  const start = resolvePathStart(path, walk.lexical);
  if (start.from === 'loop' && !loopVariables.includes(start.name)) {
    return reportError(
      walk,
      path,
      `There is no {{@${truncateForMessage(start.name)}}}; there are @root, ${loopVariables.map((name) => `@${name}`).join(', ')}.`,
    );
  }
  if (start.from === 'root' && start.rest.length > 0) walk.uses.push({ parts: start.rest, line: lineOf(path) });
  if (start.from !== 'context') return;
  let scope: LexicalScope | undefined = walk.lexical;
  for (let hops = start.hops; hops > 0 && scope; hops -= 1) scope = scope.parent;
  if (scope && !scope.parent && start.rest.length > 0) walk.uses.push({ parts: start.rest, line: lineOf(path) });
};

const checkExpression = (node: Expression, walk: CheckContext): void => {
  if (node.type === 'PathExpression') checkPath(node, walk);
  if (node.type === 'SubExpression') checkCall(node, 'value', walk);
};

const checkSignature = (call: HelperCallNode, form: 'block' | 'value', walk: CheckContext) => {
  const name = sourceOf(call.path);
  if (call.path.type !== 'PathExpression' || !couldBeHelper(call.path, walk.lexical) || !isHelper(name)) {
    return reportError(walk, call, `There is no helper "${truncateForMessage(name)}"; there are ${helperNames}.`);
  }
  const signature = helpers[name];
  const [least, most] = signature.arguments;
  const unknownName = call.hash?.pairs.find(({ key }) => !signature.named.includes(key));
  if (signature.form !== form) reportError(walk, call, `"${name}" is used as ${signature.usage}.`);
  else if (call.params.length < least || call.params.length > most) {
    reportError(
      walk,
      call,
      `"${name}" takes ${least} argument${least === 1 ? '' : 's'}, as in ${signature.usage}; a variable of that name is written {{this.${name}}}.`,
    );
  } else if (unknownName)
    reportError(walk, call, `"${name}" takes no argument named "${truncateForMessage(unknownName.key)}".`);
};

const checkCall = (call: HelperCallNode, form: 'block' | 'value', walk: CheckContext): void => {
  checkSignature(call, form, walk);
  for (const param of call.params) checkExpression(param, walk);
  for (const { value } of call.hash?.pairs ?? []) checkExpression(value, walk);
};

const isCall = ({ path, params, hash }: Mustache, walk: CheckContext) =>
  params.length > 0 ||
  hash !== undefined ||
  (path.type === 'PathExpression' && couldBeHelper(path, walk.lexical) && isHelper(path.original));

const checkBlock = (node: Block, walk: CheckContext) => {
  checkCall(node, 'block', walk);
  const opensContext = node.path.original === 'each' || node.path.original === 'with';
  const names = node.program?.blockParams ?? [];
  if (names.length > 0 && !opensContext)
    reportError(
      walk,
      node,
      `"${truncateForMessage(node.path.original)}" gives no names with "as |...|"; each and with do.`,
    );
  if (node.program)
    checkProgram(node.program, opensContext ? { ...walk, lexical: childLexicalScope(walk.lexical, names) } : walk);
  if (node.inverse) checkProgram(node.inverse, walk);
};

const checkStatement = (node: Statement, walk: CheckContext): void => {
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
      return reportError(walk, node, 'A template cannot include another: partials ({{> name}}) are not allowed.');
    case 'Decorator':
    case 'DecoratorBlock':
      return reportError(walk, node, 'Decorators ({{* name}}), inline partials among them, are not allowed.');
    default:
      return reportError(walk, node satisfies never, 'This kind of tag is not allowed.');
  }
};

const checkProgram = (program: Program, walk: CheckContext): void => {
  for (const statement of program.body) checkStatement(statement, walk);
};

/** What in a parsed template is not allowed, and which parts of the data it uses, both in the order of the text. */
export const checkTemplate = (program: Program): TemplateCheckResult => {
  const walk: CheckContext = { errors: [], uses: [], lexical: rootLexicalScope };
  checkProgram(program, walk);
  return { errors: walk.errors, uses: walk.uses };
};
