import type { Expression, Hash } from './ast.ts';
import { limits } from './limits.ts';

/** A text short enough for a message. */
export const shown = (text: string): string => (text.length > limits.shown ? `${text.slice(0, limits.shown)}…` : text);

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
