import type { GroupRole } from '#application/people/sign-in-by-provider.ts';
import { bareId } from '#contracts/names.ts';
import type { Role } from '#contracts/roles.ts';
import type { Settings } from '#libs/config/settings.ts';
import { openIdentityProvider, type IdentityProvider } from '#libs/oidc/identity-provider.ts';
import type { ProcessContext } from './process-context.ts';

const groupRolesOf = ({ oidcRoles }: Settings): GroupRole[] =>
  oidcRoles.map(({ group, accountId, role }) =>
    accountId === null
      ? { group, kind: 'operator' }
      : { group, kind: 'member', accountId: bareId('acc', accountId)!, role: role as Role },
  );

/** The identity provider of the settings, which is reached through egress; null without one. */
export const identityProviderOf = (
  settings: Settings,
  { egress }: Pick<ProcessContext, 'egress'>,
): { provider: IdentityProvider; groupRoles: GroupRole[] } | null => {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret, baseUrl } = settings;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return null;
  const provider = openIdentityProvider({
    issuer,
    clientId,
    clientSecret,
    groupsClaim: settings.oidcGroupsClaim,
    redirectUri: `${baseUrl}/api/v1/session/oidc/callback`,
    request: async (url, options) => (await egress()).requestProvider(url, options),
  });
  return { provider, groupRoles: groupRolesOf(settings) };
};
