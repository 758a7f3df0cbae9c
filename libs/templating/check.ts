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
import { formatProblem } from './template-helpers/format-date.ts';
import { helperNames, helpers, isHelper, isReservedName } from './template-helpers/helper-registry.ts';
import {
  couldBeHelper,
  documentVariables,
  type LexicalScope,
  rootLexicalScope,
  resolvePathStart,
  childLexicalScope,
} from './lexical-scope.ts';
import { truncateForMessage } from './messages.ts';
import type { TemplateSyntaxError } from './parse.ts';

/** A use of the data: the path from the top of the data, where the template alone can say it. */
export type VariableUse = { parts: string[]; line: number };
/** A use of a label by its name. */
export type LabelUse = { name: string; line: number };
export type TemplateCheckResult = { errors: TemplateSyntaxError[]; uses: VariableUse[]; labels: LabelUse[] };

type HelperCallNode = { path: Path | Literal; params: Expression[]; hash?: Hash; loc: Mustache['loc'] };
type CheckContext = TemplateCheckResult & { lexical: LexicalScope };

const loopVariables = ['index', 'number', 'key', 'first', 'last'];
const dataVariables = ['root', ...documentVariables, ...loopVariables].map((name) => `@${name}`).join(', ');

const reportError = (context: CheckContext, node: { loc: Mustache['loc'] }, message: string) =>
  void context.errors.push({ message, line: lineOf(node) });

const checkPath = (path: Path, context: CheckContext) => {
  const start = resolvePathStart(path, context.lexical);
  if (start.from === 'loop' && !loopVariables.includes(start.name)) {
    return reportError(
      context,
      path,
      `{{@${truncateForMessage(start.name)}}} does not exist; allowed are ${dataVariables}.`,
    );
  }
  if (start.from === 'root' && start.rest.length > 0) context.uses.push({ parts: start.rest, line: lineOf(path) });
  if (start.from !== 'context') return;
  let scope: LexicalScope | undefined = context.lexical;
  for (let hops = start.hops; hops > 0 && scope; hops -= 1) scope = scope.parent;
  if (scope && !scope.parent && start.rest.length > 0) context.uses.push({ parts: start.rest, line: lineOf(path) });
};

const checkExpression = (node: Expression, context: CheckContext): void => {
  if (node.type === 'PathExpression') checkPath(node, context);
  if (node.type === 'SubExpression') checkCall(node, 'value', context);
};

const checkSignature = (call: HelperCallNode, form: 'block' | 'value', context: CheckContext) => {
  const name = sourceOf(call.path);
  if (call.path.type !== 'PathExpression' || !couldBeHelper(call.path, context.lexical) || !isHelper(name)) {
    return reportError(context, call, `There is no helper "${truncateForMessage(name)}"; allowed are ${helperNames}.`);
  }
  const signature = helpers[name];
  const [min, max] = signature.arguments;
  const count = min === max ? min : `${min} to ${max}`;
  const unknownName = call.hash?.pairs.find(({ key }) => signature.named !== 'any' && !signature.named.includes(key));
  if (signature.form !== form) reportError(context, call, `"${name}" is used as ${signature.usage}.`);
  else if (call.params.length < min || call.params.length > max) {
    reportError(
      context,
      call,
      `"${name}" takes ${count} argument${max === 1 ? '' : 's'}, as in ${signature.usage}; a variable ` +
        `of that name is written {{this.${name}}}.`,
    );
  } else if (unknownName)
    reportError(context, call, `"${name}" takes no argument named "${truncateForMessage(unknownName.key)}".`);
};

const isAdjacent = ({ loc: { end } }: Expression, { loc: { start } }: Expression): boolean =>
  end.line === start.line && end.column === start.column;

/** What Handlebars reads as several arguments although no space is between them, such as `a..b`; null if nothing is. */
const findBrokenPath = ({ path, params }: HelperCallNode): string | null => {
  const all = [path, ...params];
  const first = all.findIndex(
    (each, index) => index > 0 && isAdjacent(all[index - 1]!, each) && sourceOf(each).startsWith('.'),
  );
  if (first < 0) return null;
  const after = all.findIndex((each, index) => index > first && !isAdjacent(all[index - 1]!, each));
  return all
    .slice(first - 1, after < 0 ? all.length : after)
    .map(sourceOf)
    .join('');
};

const checkCall = (call: HelperCallNode, form: 'block' | 'value', context: CheckContext): void => {
  const brokenPath = findBrokenPath(call);
  if (brokenPath !== null) {
    const message = `"${truncateForMessage(brokenPath)}" is not a path: each dot must stand between two names.`;
    return reportError(context, call, message);
  }
  checkSignature(call, form, context);
  const [first, second] = call.params;
  if (call.path.type === 'PathExpression' && call.path.original === 'label' && first?.type === 'StringLiteral')
    context.labels.push({ name: first.value, line: lineOf(call) });
  if (sourceOf(call.path) === 'formatDate' && second?.type === 'StringLiteral') {
    const problem = formatProblem(second.value);
    if (problem !== null) reportError(context, call, problem);
  }
  for (const param of call.params) checkExpression(param, context);
  for (const { value } of call.hash?.pairs ?? []) checkExpression(value, context);
};

const isCall = ({ path, params, hash }: Mustache, context: CheckContext) =>
  params.length > 0 ||
  hash !== undefined ||
  (path.type === 'PathExpression' && couldBeHelper(path, context.lexical) && isReservedName(path.original));

const checkBlock = (node: Block, context: CheckContext) => {
  checkCall(node, 'block', context);
  const opensContext = node.path.original === 'each' || node.path.original === 'with';
  const names = node.program?.blockParams ?? [];
  if (names.length > 0 && !opensContext)
    reportError(
      context,
      node,
      `"${truncateForMessage(node.path.original)}" does not set names with "as |...|"; only each and with do.`,
    );
  if (node.program)
    checkProgram(
      node.program,
      opensContext ? { ...context, lexical: childLexicalScope(context.lexical, names) } : context,
    );
  if (node.inverse) checkProgram(node.inverse, context);
};

const checkStatement = (node: Statement, context: CheckContext): void => {
  switch (node.type) {
    case 'ContentStatement':
    case 'CommentStatement':
      return;
    case 'MustacheStatement':
      if (isCall(node, context)) checkCall(node, 'value', context);
      else if (node.path.type === 'PathExpression') checkPath(node.path, context);
      return;
    case 'BlockStatement':
      return checkBlock(node, context);
    case 'PartialStatement':
    case 'PartialBlockStatement':
      return reportError(context, node, 'A template cannot include another: partials ({{> name}}) are not allowed.');
    case 'Decorator':
    case 'DecoratorBlock':
      return reportError(context, node, 'Decorators ({{* name}}) are not allowed, including inline partials.');
    default:
      return reportError(context, node satisfies never, 'This kind of tag is not allowed.');
  }
};

const checkProgram = (program: Program, context: CheckContext): void => {
  for (const statement of program.body) checkStatement(statement, context);
};

/**
 * Returns what is not allowed in a parsed template, and which parts of the data and which labels it uses, each in the
 * order of the text.
 */
export const checkTemplate = (program: Program): TemplateCheckResult => {
  const context: CheckContext = { errors: [], uses: [], labels: [], lexical: rootLexicalScope };
  checkProgram(program, context);
  return { errors: context.errors, uses: context.uses, labels: context.labels };
};
