import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSecretMask } from './mask-secrets.ts';

const target = (url: string, headers: Record<string, string> = {}) => ({ url, method: 'POST' as const, headers });

test.each([
  [
    'a header',
    target('https://example.com/hook', { Authorization: 'Bearer k9Q2z7X1' }),
    '{"authorization":"Bearer k9Q2z7X1"}',
    '{"authorization":"***"}',
  ],
  [
    'a part of a header',
    target('https://example.com/hook', { Authorization: 'Bearer k9Q2z7X1' }),
    'unknown token k9Q2z7X1',
    'unknown token ***',
  ],
  [
    'a part of a header that has commas',
    target('https://example.com/hook', { 'X-Keys': '12a,34b, 56c,78d' }),
    'unknown tokens 12a,34b and 56c,78d',
    'unknown tokens *** and ***',
  ],
  [
    'a header with quotes, in JSON',
    target('https://example.com/hook', { 'X-A': 'a "b" c' }),
    '{"x":"a \\"b\\" c"}',
    '{"x":"***"}',
  ],
  [
    'the address',
    target('https://example.com/hook?key=k9Q2%7AX1'),
    'POST /hook?key=k9Q2%7AX1 at example.com',
    'POST *** at example.com',
  ],
  [
    'a query value as it is meant',
    target('https://example.com/hook?key=k9Q2%7AX1'),
    'key k9Q2zX1 is unknown',
    'key *** is unknown',
  ],
  ['a part of the path', target('https://example.com/in/k9Q2z7X1'), 'no hook k9Q2z7X1 in /in', 'no hook *** in /in'],
  [
    'a header, and is cut within it',
    target('https://example.com/hook', { 'X-Key': 'k9Q2z7X1v5' }),
    'x-key: k9Q2z7',
    'x-key: ***',
  ],
])('A response that repeats %s is recorded with that masked', (_, target, body, recorded) => {
  expect(createSecretMask(target)(body)).toBe(recorded);
});

test('A response without secrets is recorded unchanged', () => {
  expect(createSecretMask(target('https://example.com/hook', { 'X-Page': '1' }))('seen 1 at example.com/hook')).toBe(
    'seen 1 at example.com/hook',
  );
});

test('A response that is truncated within a secret is recorded without the longest prefix of the secret', () => {
  const signs = (minLength: number) =>
    fc.array(fc.constantFrom('a', 'b'), { minLength, maxLength: 12 }).map((list) => list.join(''));
  fc.assert(
    fc.property(signs(5), signs(0), (secret, answer) => {
      fc.pre(!answer.includes(secret));
      const lengths = Array.from({ length: secret.length - 4 }, (_, index) => secret.length - 1 - index);
      const cut = lengths.find((length) => answer.endsWith(secret.slice(0, length)));
      expect(createSecretMask(target('https://example.com/hook', { 'X-Key': secret }))(answer)).toBe(
        cut === undefined ? answer : `${answer.slice(0, -cut)}***`,
      );
    }),
    { numRuns: 5_000 },
  );
});
