import { permissions, type Permission } from './events/account.ts';

/** The roles of the members of an account, from the one with the most permissions to the one with the fewest. */
export const roles = ['owner', 'developer', 'viewer'] as const;
export type Role = (typeof roles)[number];

const ownerOnly: ReadonlySet<Permission> = new Set(['members:write', 'account:write']);

const permissionsByRole: Readonly<Record<Role, readonly Permission[]>> = {
  owner: permissions,
  developer: permissions.filter((permission) => !ownerOnly.has(permission)),
  /** A viewer has only permissions to read. */
  viewer: ['templates:read', 'jobs:read', 'usage:read', 'keys:read', 'events:read', 'members:read'],
};

/** What a member with this role may do in the account. An operator has all permissions in every account. */
export const permissionsOf = (role: Role): readonly Permission[] => permissionsByRole[role];

/** The one of these roles that has the most permissions; null without any. */
export const highestRole = (some: readonly Role[]): Role | null => roles.find((role) => some.includes(role)) ?? null;
