import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';

export const client = { id: 'colophon', secret: 'client-secret-of-the-tests' };

type Claims = Record<string, unknown>;

/** A small OpenID Connect provider with real signatures: discovery, keys, code flow with PKCE. */
export const startIdentityProvider = async () => {
  const keys = await generateKeyPair('RS256');
  const otherKeys = await generateKeyPair('RS256');
  const codes = new Map<string, { query: URLSearchParams; claims: Claims }>();
  /** What the provider does wrong. */
  const fault: { sign?: 'none' | 'other key'; claims?: Claims } = {};
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const idToken = (claims: Claims): Promise<string> | string => {
    const all = {
      iss: issuer,
      aud: client.id,
      sub: 'subject-1',
      exp: Math.floor(Date.now() / 1000) + 300,
      ...claims,
      ...fault.claims,
    };
    if (fault.sign === 'none') return new UnsecuredJWT(all).setIssuedAt().encode();
    const key = fault.sign === 'other key' ? otherKeys.privateKey : keys.privateKey;
    const jwt = new SignJWT(all).setProtectedHeader({ alg: 'RS256', kid: 'k1' });
    return jwt.setIssuedAt().sign(key);
  };

  const challengeOf = async (verifier: string): Promise<string> =>
    Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(verifier))).toString('base64url');

  const redeem = async (request: IncomingMessage): Promise<[number, unknown]> => {
    const form = new URLSearchParams(await readText(request));
    const issued = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const isRight =
      issued?.query.get('code_challenge') === (await challengeOf(form.get('code_verifier') ?? '')) &&
      form.get('redirect_uri') === issued.query.get('redirect_uri') &&
      form.get('client_secret') === client.secret;
    if (!issued || !isRight) return [400, { error: 'invalid_grant' }];
    const token = await idToken({ nonce: issued.query.get('nonce'), ...issued.claims });
    return [200, { access_token: 'a', token_type: 'Bearer', expires_in: 60, id_token: token }];
  };

  const answer = async (request: IncomingMessage): Promise<[number, unknown]> => {
    switch (request.url?.split('?')[0]) {
      case '/.well-known/openid-configuration':
        return [
          200,
          {
            issuer,
            authorization_endpoint: `${issuer}/authorize`,
            token_endpoint: `${issuer}/token`,
            jwks_uri: `${issuer}/keys`,
            response_types_supported: ['code'],
            subject_types_supported: ['public'],
            id_token_signing_alg_values_supported: ['RS256'],
          },
        ];
      case '/keys':
        return [200, { keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }] }];
      case '/token':
        return redeem(request);
      default:
        return [404, {}];
    }
  };
  const authorize = (address: string, claims: Claims): string => {
    const query = new URL(address).searchParams;
    const code = randomUUID();
    codes.set(code, { query, claims });
    return `?${new URLSearchParams({ code, state: query.get('state')! }).toString()}`;
  };

  /** The claims of the person who uses the page of the provider. */
  const person: { claims: Claims } = { claims: {} };
  const showPage = (address: string, response: ServerResponse): void => {
    const callback = new URL(address, issuer).searchParams.get('redirect_uri')!;
    const href = `${callback}${authorize(`${issuer}${address}`, person.claims)}`.replaceAll('&', '&amp;');
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<!doctype html><html lang="en"><title>Provider</title><a href="${href}">Continue</a></html>`);
  };

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.startsWith('/authorize?')) return showPage(request.url, response);
    void answer(request).then(([status, body]) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    );
  });

  return {
    issuer,
    fault,
    codes,
    /** The claims of the person who presses *Continue* on the page of the provider. */
    person,
    /** The person signs in at the provider, without its page. Returns the query of the callback. */
    authorize,
    close: async (): Promise<void> => {
      server.close();
      server.closeAllConnections();
    },
  };
};
