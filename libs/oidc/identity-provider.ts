import type { CustomFetch } from 'openid-client';
import { isLoopbackHost } from '#libs/egress/loopback-host.ts';

/** A person as the identity provider knows it. `email` is null unless the provider has verified it. */
export type ProviderPerson = { subject: string; email: string | null; name: string; groups: readonly string[] };

/** What the browser must bring back; all of it is secret. */
export type ProviderSignIn = { state: string; nonce: string; verifier: string };

/** The OpenID Connect provider of the operator. */
export type IdentityProvider = {
  issuer: string;
  /** The address to send the browser to. */
  start(): Promise<{ url: string; signIn: ProviderSignIn }>;
  /** The person of a callback with this query. @throws Error if the provider did not confirm the person */
  finish(query: string, signIn: ProviderSignIn): Promise<ProviderPerson>;
};

export type ProviderOptions = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  groupsClaim: string;
  redirectUri: string;
  /** Sends all requests to the provider. */
  request: (
    url: string,
    options: { method?: string; headers?: Record<string, string>; body?: string },
  ) => Promise<Response>;
};

const bodyTextOf = (body: unknown): string | undefined => {
  if (body === null || body === undefined) return undefined;
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('the identity provider client sends only text');
};

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const maxGroups = 1_000;
const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string').slice(0, maxGroups);

const personOf = (subject: string, claims: Readonly<Record<string, unknown>>, groupsClaim: string): ProviderPerson => {
  const email = claims.email_verified === true ? textOf(claims.email) : null;
  const name = email ?? textOf(claims.name) ?? textOf(claims.preferred_username) ?? textOf(claims.email) ?? subject;
  return { subject, email, name: name.slice(0, 200), groups: textsOf(claims[groupsClaim]) };
};

/** Opens the client of the provider; it reads the provider's configuration at the first use, and again after an error. */
export const openIdentityProvider = (options: ProviderOptions): IdentityProvider => {
  const { clientId, clientSecret, redirectUri, groupsClaim, request } = options;
  const issuer = new URL(options.issuer);
  const customFetch: CustomFetch = (url, { method, headers, body }) => {
    const text = bodyTextOf(body);
    return request(url, { method, headers, ...(text === undefined ? {} : { body: text }) });
  };
  // Loaded at the first use, because most installations have no identity provider.
  const open = async () => {
    const client = await import('openid-client');
    const config = await client.discovery(issuer, clientId, clientSecret, undefined, {
      [client.customFetch]: customFetch,
      execute: issuer.protocol === 'http:' && isLoopbackHost(issuer.hostname) ? [client.allowInsecureRequests] : [],
    });
    return { client, config };
  };
  let opened: ReturnType<typeof open> | undefined;
  const get = (): ReturnType<typeof open> =>
    (opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    }));

  return {
    issuer: options.issuer,
    start: async () => {
      const { client, config } = await get();
      const signIn = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state: signIn.state,
        nonce: signIn.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(signIn.verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, signIn };
    },
    finish: async (query, { state, nonce, verifier }) => {
      const { client, config } = await get();
      // The signature is checked besides TLS, so that a wrong algorithm or key never passes.
      client.enableNonRepudiationChecks(config);
      const tokens = await client.authorizationCodeGrant(config, new URL(`${redirectUri}${query}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      const isComplete = groupsClaim in claims && 'email' in claims;
      const more =
        isComplete || !config.serverMetadata().userinfo_endpoint
          ? {}
          : await client.fetchUserInfo(config, tokens.access_token, claims.sub);
      return personOf(claims.sub, { ...more, ...claims }, groupsClaim);
    },
  };
};
