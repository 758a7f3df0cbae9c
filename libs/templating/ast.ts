/** The parts of a parsed template that may occur, as Handlebars' parser gives them. Lines count from 1. */

type At = { loc: { start: { line: number } } };

export type Path = At & { type: 'PathExpression'; data: boolean; depth: number; parts: string[]; original: string };
export type Literal =
  | (At & { type: 'StringLiteral'; value: string })
  | (At & { type: 'NumberLiteral'; value: number })
  | (At & { type: 'BooleanLiteral'; value: boolean })
  | (At & { type: 'NullLiteral' })
  | (At & { type: 'UndefinedLiteral' });
export type Hash = { pairs: (At & { key: string; value: Expression })[] };
export type SubExpression = At & { type: 'SubExpression'; path: Path; params: Expression[]; hash?: Hash };
export type Expression = Path | Literal | SubExpression;

export type Program = { body: Statement[]; blockParams?: string[] };
export type Content = At & { type: 'ContentStatement'; value: string };
export type Comment = At & { type: 'CommentStatement' };
export type Mustache = At & { type: 'MustacheStatement'; path: Path | Literal; params: Expression[]; hash?: Hash; escaped: boolean };
export type Block = At & { type: 'BlockStatement'; path: Path; params: Expression[]; hash?: Hash; program?: Program; inverse?: Program };
export type Refused = At & { type: 'PartialStatement' | 'PartialBlockStatement' | 'Decorator' | 'DecoratorBlock' };
export type Statement = Content | Comment | Mustache | Block | Refused;

export const lineOf = (node: At): number => node.loc.start.line;

const withArguments = (name: string, params: Expression[], hash: Hash | undefined): string =>
  [name, ...params.map(written), ...(hash?.pairs ?? []).map(({ key, value }) => `${key}=${written(value)}`)].join(' ');

/** An expression as its author wrote it, spaces apart. */
export const written = (node: Expression): string => {
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
      throw new TypeError('an expression of an unknown kind', { cause: node satisfies never });
  }
};

/** A helper's call as its author wrote it, without braces: `lookup prices "gold"`. */
export const writtenCall = (call: { path: Expression; params: Expression[]; hash?: Hash }): string =>
  withArguments(written(call.path), call.params, call.hash);
