import { z } from 'zod';
import { ApiError } from '#contracts/http/api-error.ts';
import { signInByProvider } from '#application/people/sign-in-by-provider.ts';
import { newId } from '#libs/ids/ulids.ts';
import { EgressError } from '#libs/egress/errors.ts';
import type { Dependencies } from '../server/dependencies.ts';
import { type Route, signInRoute } from '../server/route.ts';
import { openCookie, sealCookie } from './challenge.ts';
import { completeSignIn, originOf } from './complete-sign-in.ts';
import { withSignInLimit } from './sign-in-limit.ts';

const signInState = z.object({
  id: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  next: z.string().optional(),
});

/** A page of the dashboard: a sign-in leads to no other place. */
const pagePath = /^\/dashboard(?:\/(?!sign-in)(?!.*\.\.)[\w/?=&.%+*-]*)?$/;

const startQuery = z.strictObject({
  next: z
    .string()
    .max(2_000)
    .regex(pagePath, 'must be a page of the dashboard')
    .optional()
    .describe('The page to show after the sign-in, such as /dashboard/keys. Default: /dashboard.'),
});

/** The page for signing in, which says that the provider failed, and still leads to the page that was asked for. */
const failedPage = (next: string | undefined): string => {
  const query = new URLSearchParams({ oidc_failed: '1', ...(next === undefined ? {} : { next }) });
  return `/dashboard/sign-in?${query.toString()}`;
};

const requireProvider = ({ identityProvider }: Pick<Dependencies, 'identityProvider'>) => {
  if (!identityProvider) throw ApiError.of('not_found', 'This service has no identity provider.');
  return identityProvider;
};

/** A sentence for the log without anything that the provider or the browser sent. */
const reasonOf = (error: unknown): string => {
  if (error instanceof EgressError || error instanceof ApiError) return error.message;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : error instanceof Error ? error.name : 'unknown';
};

const notConfirmed = (): ApiError =>
  ApiError.of('sign_in_failed', 'The identity provider did not confirm the person. Start again.');

/** Sign-in with the identity provider of the operator (OpenID Connect, code flow with PKCE). */
export const oidcRoutes: Route[] = [
  signInRoute({
    method: 'GET',
    path: '/api/v1/session/oidc',
    operationId: 'startOidcSignIn',
    tag: 'People',
    summary: 'Sign in with the identity provider',
    description: 'Sends the browser to the identity provider, which sends it back to the callback.',
    session: 'start',
    request: { query: startQuery },
    responses: [
      {
        status: 302,
        description: 'The identity provider, or the page for signing in if it cannot be reached.',
        schema: null,
        headers: { Location: 'The next page.' },
      },
    ],
    errors: ['not_found'],
    handle: async ({ query: { next }, reply }, dependencies) => {
      const { provider } = requireProvider(dependencies);
      reply.header('cache-control', 'no-store');
      try {
        const { url, signIn } = await provider.start();
        sealCookie(dependencies, reply, 'oidc', { id: newId(dependencies.eventLog.now()), ...signIn, next });
        return await reply.redirect(url, 302);
      } catch (error) {
        reply.request.log.warn({ reason: reasonOf(error) }, 'identity provider cannot be used');
        return reply.redirect(failedPage(next), 302);
      }
    },
  }),
  signInRoute({
    method: 'GET',
    path: '/api/v1/session/oidc/callback',
    operationId: 'finishOidcSignIn',
    tag: 'People',
    summary: 'Come back from the identity provider',
    description: 'Starts a session if the identity provider has confirmed the person, and leads to the dashboard.',
    session: 'callback',
    responses: [
      {
        status: 302,
        description: 'The dashboard, or the page for signing in if the sign-in failed.',
        schema: null,
        headers: { Location: 'The next page.', 'Set-Cookie': 'The cookie of the session.' },
      },
    ],
    errors: ['not_found'],
    handle: async ({ reply }, dependencies) => {
      const { provider, groupRoles } = requireProvider(dependencies);
      const { request } = reply;
      reply.header('cache-control', 'no-store');
      let next: string | undefined;
      try {
        const started = await withSignInLimit(dependencies, request, async () => {
          const { data } = signInState.safeParse(openCookie(dependencies, request, reply, 'oidc'));
          if (!data) throw notConfirmed();
          ({ next } = data);
          const query = request.url.slice(request.url.indexOf('?'));
          const person = await provider.finish(query, data).catch((error: unknown) => {
            request.log.warn({ reason: reasonOf(error) }, 'identity provider did not confirm a person');
            throw notConfirmed();
          });
          const config = { issuer: provider.issuer, mapping: groupRoles };
          return signInByProvider(dependencies, config, person, data.id, originOf(request));
        });
        await completeSignIn(dependencies, reply, started);
        return await reply.redirect(next ?? '/dashboard', 302);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return reply.redirect(failedPage(next), 302);
      }
    },
  }),
];
