import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { classifyAddress } from './address.ts';
import { privateOctets, addressSpelling } from './testing/address-spellings.ts';
import { targetOfAuthority, targetOfUrl } from './target.ts';

const privateSpelling = privateOctets.chain((octets) =>
  fc.tuple(fc.constant(octets.join('.')), addressSpelling(octets)),
);

test('A private IPv4 address is not public in any spelling', () => {
  fc.assert(
    fc.property(privateSpelling, ([, spelling]) => {
      const { host } = targetOfUrl(`http://${spelling}/`).target;
      expect(classifyAddress(host)).not.toMatch(/^(public|not an address)$/);
    }),
    { numRuns: 1000 },
  );
});

test('A tunnel reads the spellings of an address as a URL does', () => {
  fc.assert(
    fc.property(privateSpelling, ([, spelling]) => {
      expect(targetOfAuthority(`${spelling}:443`)).toEqual({ ...targetOfUrl(`http://${spelling}/`).target, port: 443 });
    }),
  );
});

describe('The canonical form of the host is the same for every spelling', () => {
  test.each([
    ['http://EXAMPLE.com./a', 'example.com', 80],
    ['https://ｅｘａｍｐｌｅ.com', 'example.com', 443],
    ['https://bücher.example:8443/', 'xn--bcher-kva.example', 8443],
    ['http://[::1]:80/', '::1', 80],
    ['http://[0:0::0:1]/', '::1', 80],
    ['http:\\\\127.1\\x', '127.0.0.1', 80],
    ['http://0x7f.1/', '127.0.0.1', 80],
  ])('%s', (url, host, port) => {
    expect(targetOfUrl(url).target).toEqual({ host, port });
  });
});

describe('A URL is blocked', () => {
  test.each([
    'ftp://example.com/',
    'file:///etc/passwd',
    'data:text/html,x',
    'http://user@example.com/',
    'http://user:pw@example.com/',
    'http://',
    'http://./',
    'http://a../',
    '/path',
    'example.com',
    '',
    'http://[fe80::1%25eth0]/',
    'http://[::1%eth0]/',
    'http://256.1.1.1/',
    'http://1.2.3.4.5/',
    'http://example.com:0/',
    'http://exa mple.com/',
  ])('%j', (url) => {
    expect(() => targetOfUrl(url)).toThrow(
      expect.objectContaining({ fields: expect.objectContaining({ kind: 'blocked', code: 'bad-target' }) }),
    );
  });
});

describe('A tunnel is blocked', () => {
  test.each([
    'example.com',
    'example.com:',
    ':443',
    'example.com:443/x',
    'user@example.com:443',
    'example.com:99999',
    'example.com:0',
    'http://example.com:443',
    '[fe80::1%eth0]:443',
    'a b:443',
  ])('%j', (authority) => {
    expect(() => targetOfAuthority(authority)).toThrow();
  });
});
