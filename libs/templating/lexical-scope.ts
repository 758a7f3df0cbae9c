import type { Path } from './ast.ts';

/**
 * The contexts that enclose a place in a template: the outermost is the data; `each` and `with` add one each, with the
 * names they give (`as |item at|`).
 */
export type LexicalScope = { names: readonly string[]; parent: LexicalScope | undefined };

export const rootLexicalScope: LexicalScope = { names: [], parent: undefined };

export const childLexicalScope = (up: LexicalScope, names: readonly string[] = []): LexicalScope => ({
  names,
  parent: up,
});

/**
 * Where a path begins: at the data, a variable of the loop, the nth name given by the context so many hops up, or that
 * context itself.
 */
export type PathStart =
  | { from: 'root'; rest: string[] }
  | { from: 'loop'; hops: number; name: string; rest: string[] }
  | { from: 'name'; hops: number; position: number; rest: string[] }
  | { from: 'context'; hops: number; rest: string[] };

// `this.x`, `./x` and `../x` always mean the context, even where a block has given the name x.
const contextPrefix = /^(?:\.|this(?:[./]|$))/;

const findBlockParam = (lexical: LexicalScope, name: string): { hops: number; position: number } | undefined => {
  for (let [scope, hops]: [LexicalScope | undefined, number] = [lexical, 0]; scope; scope = scope.parent, hops += 1) {
    const position = scope.names.indexOf(name);
    if (position >= 0) return { hops, position };
  }
  return undefined;
};

/** Resolves the beginning of a path at a place in the template. */
export const resolvePathStart = (path: Path, lexical: LexicalScope): PathStart => {
  const [first = '', ...rest] = path.parts;
  if (path.data)
    return first === 'root' ? { from: 'root', rest } : { from: 'loop', hops: path.depth, name: first, rest };
  const named = contextPrefix.test(path.original) ? undefined : findBlockParam(lexical, first);
  return named ? { from: 'name', ...named, rest } : { from: 'context', hops: path.depth, rest: path.parts };
};

/** True where a path could be the name of a helper: one plain word that no block has given to something else. */
export const couldBeHelper = (path: Path, lexical: LexicalScope): boolean =>
  !path.data &&
  path.depth === 0 &&
  path.parts.length === 1 &&
  !contextPrefix.test(path.original) &&
  resolvePathStart(path, lexical).from === 'context';
