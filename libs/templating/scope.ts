/** Where in a loop its body is being expanded. */
export type Loop = { index: number; key: string | number; first: boolean; last: boolean; outer: Loop | undefined };

/** A context that `each` or `with` has opened, or the data itself (then `up` is undefined). */
export type Scope = {
  context: unknown;
  readonly up: Scope | undefined;
  readonly loop: Loop | undefined;
  /** What the names given with `as |...|` stand for. */
  given: readonly unknown[];
  /** The context's own path from the top of the data, as a person would write it: `items[2]`. */
  readonly trail: () => string;
};

export const topScope = (data: unknown): Scope => ({ context: data, up: undefined, loop: undefined, given: [], trail: () => '' });

export const scopeAbove = (scope: Scope, hops: number): Scope | undefined => {
  let found: Scope | undefined = scope;
  for (let left = hops; left > 0 && found; left -= 1) found = found.up;
  return found;
};

/** A member's path beneath that of its holder: `items[2]` and `price` give `items[2].price`. */
export const joined = (trail: string, parts: readonly string[]): string => [trail, ...parts].filter((part) => part !== '').join('.');
