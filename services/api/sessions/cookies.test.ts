import type { FastifyReply } from 'fastify';
import { expect, it } from 'vitest';
import { createCookies } from './cookies.ts';

const headersOf = (isSecure: boolean): string[] => {
  const headers: string[] = [];
  const reply = { header: (_: string, value: string) => headers.push(value) } as unknown as FastifyReply;
  const cookies = createCookies(isSecure);
  cookies.set(reply, 'session', 'x');
  cookies.set(reply, 'oidc', 'x');
  cookies.clear(reply, 'session');
  return headers;
};

it('With TLS, cookies belong to the host alone and are never sent without TLS', () => {
  expect(headersOf(true)).toEqual([
    '__Host-colophon_session=x; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure',
    '__Host-colophon_oidc=x; Path=/; Max-Age=600; HttpOnly; SameSite=Lax; Secure',
    '__Host-colophon_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure',
  ]);
  expect(headersOf(false)[0]).toBe('colophon_session=x; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict');
});

it('A cookie is read by its whole name', () => {
  const read = (cookie: string) => createCookies(true).read({ headers: { cookie } }, 'session');
  expect(read('a=1; __Host-colophon_session=token; b=2')).toBe('token');
  for (const cookie of ['', 'colophon_session=token', 'x__Host-colophon_session=token', '__Host-colophon_session='])
    expect(read(cookie)).toBe(null);
});
