import { ApiError } from '#contracts/http/api-error.ts';
import { permissionsOf, type Role } from '#contracts/roles.ts';
import type { Membership } from '#libs/domain/members.ts';
import { requirePermission } from '../server/authenticate.ts';
import type { CallerContext } from '../server/context.ts';

/** Callers can neither give nor take what they do not have. @throws ApiError insufficient_permissions */
export const requirePermissionsOf = (caller: Pick<CallerContext, 'permissions' | 'actor'>, role: Role): void => {
  for (const permission of permissionsOf(role)) requirePermission(caller, permission);
};

export const memberNotFound = (): ApiError => ApiError.of('member_not_found', 'The account has no such member.');

export const lastOwner = (): ApiError =>
  ApiError.of('last_owner', 'An account keeps at least one owner. Make another member owner first.');

/** @throws ApiError member_managed_by_groups */
export const requireOwnRole = ({ source }: Membership): void => {
  if (source !== 'groups') return;
  throw ApiError.of(
    'member_managed_by_groups',
    'The identity provider decides the role of this member. Change the groups of the person there.',
  );
};
