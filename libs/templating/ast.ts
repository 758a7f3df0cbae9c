/** The parts of a parsed template that are supported, as Handlebars' parser returns them. Lines count from 1. */

type Position = { line: number; column: number };
type Located = { loc: { start: Position; end: Position } };

export type Path = Located & {
  type: 'PathExpression';
  data: boolean;
  depth: number;
  parts: string[];
  original: string;
};
export type Literal =
  | (Located & { type: 'StringLiteral'; value: string })
  | (Located & { type: 'NumberLiteral'; value: number })
  | (Located & { type: 'BooleanLiteral'; value: boolean })
  | (Located & { type: 'NullLiteral' })
  | (Located & { type: 'UndefinedLiteral' });
export type Hash = { pairs: (Located & { key: string; value: Expression })[] };
export type SubExpression = Located & { type: 'SubExpression'; path: Path; params: Expression[]; hash?: Hash };
export type Expression = Path | Literal | SubExpression;

export type Program = { body: Statement[]; blockParams?: string[] };
export type Content = Located & { type: 'ContentStatement'; value: string };
export type Comment = Located & { type: 'CommentStatement' };
export type Mustache = Located & {
  type: 'MustacheStatement';
  path: Path | Literal;
  params: Expression[];
  hash?: Hash;
  escaped: boolean;
};
export type Block = Located & {
  type: 'BlockStatement';
  path: Path;
  params: Expression[];
  hash?: Hash;
  program?: Program;
  inverse?: Program;
};
export type UnsupportedStatement = Located & {
  type: 'PartialStatement' | 'PartialBlockStatement' | 'Decorator' | 'DecoratorBlock';
};
export type Statement = Content | Comment | Mustache | Block | UnsupportedStatement;

export const lineOf = (node: Located): number => node.loc.start.line;

const withArguments = (name: string, params: Expression[], hash: Hash | undefined): string =>
  [name, ...params.map(sourceOf), ...(hash?.pairs ?? []).map(({ key, value }) => `${key}=${sourceOf(value)}`)].join(
    ' ',
  );

/** An expression as its author wrote it, except for spaces. */
export const sourceOf = (node: Expression): string => {
  switch (node.type) {
    case 'PathExpression':
      return node.original;
    case 'SubExpression':
      return `(${withArguments(node.path.original, node.params, node.hash)})`;
    case 'StringLiteral':
      return JSON.stringify(node.value);
    case 'NumberLiteral':
    case 'BooleanLiteral':
      return String(node.value);
    case 'NullLiteral':
      return 'null';
    case 'UndefinedLiteral':
      return 'undefined';
    default:
      throw new TypeError('unknown kind of expression', { cause: node satisfies never });
  }
};

/** The source of a helper call, without braces: `lookup prices "gold"`. */
export const sourceOfCall = (call: { path: Expression; params: Expression[]; hash?: Hash }): string =>
  withArguments(sourceOf(call.path), call.params, call.hash);
