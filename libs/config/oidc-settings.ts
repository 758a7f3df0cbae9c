import { defineSecretSetting, defineSetting } from './define-setting.ts';
import { groupRoleList, optional, text, url } from './setting-types.ts';

/** The OpenID Connect provider that signs people in to the dashboard. */
export const oidcSettings = {
  oidcIssuer: defineSetting(
    'OIDC_ISSUER',
    optional(url('https://', 'http://')),
    undefined,
    'The OpenID Connect provider that signs people in to the dashboard; with OIDC_CLIENT_ID and OIDC_CLIENT_SECRET. One ' +
      'that is not public must be in COLOPHON_EGRESS_ALLOW.',
  ),
  oidcClientId: defineSetting(
    'OIDC_CLIENT_ID',
    optional(text('a client id')),
    undefined,
    'The client id of the service. The redirect URI is BASE_URL with /api/v1/session/oidc/callback.',
  ),
  oidcClientSecret: defineSecretSetting(
    'OIDC_CLIENT_SECRET',
    optional(text('a client secret')),
    undefined,
    'The client secret of the service at the provider.',
  ),
  oidcGroupsClaim: defineSetting(
    'OIDC_GROUPS_CLAIM',
    text('the name of a claim'),
    'groups',
    'The claim with the groups of a person.',
  ),
  oidcRoles: defineSetting(
    'OIDC_ROLES',
    groupRoleList,
    '',
    'The roles of groups, applied at each sign-in: a person who has left a group loses its role.',
  ),
} as const;
