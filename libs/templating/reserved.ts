/** Names that every object inherits. They are never data, wherever they stand and whatever the data holds. */
const inherited: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

export const isReserved = (name: string): boolean => inherited.has(name);

/** A value's own member: undefined where it has none of that name, or where the name is reserved. */
export const ownMember = (holder: unknown, name: string): unknown => {
  if (holder === null || holder === undefined || inherited.has(name) || !Object.hasOwn(holder, name)) return undefined;
  const member = (holder as Record<string, unknown>)[name];
  return typeof member === 'function' ? undefined : member;
};
