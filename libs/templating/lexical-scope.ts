import type { Path } from './ast.ts';

/**
 * The contexts around a place in a template. The outermost one is the data. `each` and `with` each add one, with the
 * names that they set (`as |item at|`).
 */
export type LexicalScope = { names: readonly string[]; parent: LexicalScope | undefined };

export const rootLexicalScope: LexicalScope = { names: [], parent: undefined };

export const childLexicalScope = (parent: LexicalScope, names: readonly string[] = []): LexicalScope => ({
  names,
  parent,
});

/** The variables of a document: `@locale` is the language tag, `@dir` the direction of its script. */
export const documentVariables = ['locale', 'dir'] as const;
type DocumentVariable = (typeof documentVariables)[number];

const isDocumentVariable = (name: string): name is DocumentVariable =>
  (documentVariables as readonly string[]).includes(name);

/**
 * Where a path starts: at the data, at a variable of the document, at a variable of the loop, at the nth name set by
 * the context `hops` levels up, or at that context itself.
 */
export type PathStart =
  | { from: 'root'; rest: string[] }
  | { from: 'document'; name: DocumentVariable; rest: string[] }
  | { from: 'loop'; hops: number; name: string; rest: string[] }
  | { from: 'name'; hops: number; position: number; rest: string[] }
  | { from: 'context'; hops: number; rest: string[] };

// `this.x`, `./x` and `../x` always mean the context, even if a block sets the name x.
const contextPrefix = /^(?:\.|this(?:[./]|$))/;

const findBlockParam = (lexical: LexicalScope, name: string): { hops: number; position: number } | undefined => {
  for (let [scope, hops]: [LexicalScope | undefined, number] = [lexical, 0]; scope; scope = scope.parent, hops += 1) {
    const position = scope.names.indexOf(name);
    if (position >= 0) return { hops, position };
  }
  return undefined;
};

/** Where a path of the template starts, by the names that the blocks around it set. */
export const resolvePathStart = (path: Path, lexical: LexicalScope): PathStart => {
  const [first = '', ...rest] = path.parts;
  if (path.data && isDocumentVariable(first)) return { from: 'document', name: first, rest };
  if (path.data)
    return first === 'root' ? { from: 'root', rest } : { from: 'loop', hops: path.depth, name: first, rest };
  const named = contextPrefix.test(path.original) ? undefined : findBlockParam(lexical, first);
  return named ? { from: 'name', ...named, rest } : { from: 'context', hops: path.depth, rest: path.parts };
};

/** Whether a path could be the name of a helper: a single word that no block sets. */
export const couldBeHelper = (path: Path, lexical: LexicalScope): boolean =>
  !path.data &&
  path.depth === 0 &&
  path.parts.length === 1 &&
  !contextPrefix.test(path.original) &&
  resolvePathStart(path, lexical).from === 'context';
