import { describe, expect, test } from 'vitest';
import { parseAllowList } from './allow-list.ts';

const isAllowed = (entry: string, host: string, port = 443) => parseAllowList([entry]).allowsTarget({ host, port });

describe('An entry of the allow list', () => {
  test.each([
    ['intranet', 'intranet', 443],
    ['Intranet.Example.', 'intranet.example', 80],
    ['127.0.0.1:8443', '127.0.0.1', 8443],
    ['[::1]:8443', '::1', 8443],
    ['::1', '::1', 80],
    ['[::1]', '::1', 80],
    ['*.corp.example', 'a.b.corp.example', 443],
    ['*.corp.example:8443', 'a.corp.example', 8443],
    ['bücher.example', 'xn--bcher-kva.example', 443],
    ['http-host:80', 'http-host', 80],
  ])('%s allows %s at port %i', (entry, host, port) => {
    expect(isAllowed(entry, host, port)).toBe(true);
  });

  test.each([
    ['127.0.0.1:8443', '127.0.0.1', 8444],
    ['http-host:80', 'http-host', 443],
    ['*.corp.example', 'corp.example', 443],
    ['*.corp.example', 'evilcorp.example', 443],
    ['corp.example', 'a.corp.example', 443],
    ['10.0.0.0/8', '10.0.0.1', 443],
  ])('%s does not allow %s at port %i', (entry, host, port) => {
    expect(isAllowed(entry, host, port)).toBe(false);
  });
});

test('A range allows the addresses in it, also as IPv4-mapped IPv6, and no others', () => {
  const { allowsAddress } = parseAllowList(['10.1.0.0/16', 'fd00:1::/32']);
  expect(['10.1.2.3', '::ffff:10.1.2.3', 'fd00:1::5'].every(allowsAddress)).toBe(true);
  expect(['10.2.0.1', '127.0.0.1', 'fd00:2::5', '::1', '::10.1.2.3'].some(allowsAddress)).toBe(false);
});

test.each([
  '',
  ' ',
  '*',
  '*.',
  'a b',
  'http://host',
  'host/path',
  '10.0.0.0/33',
  'host:0',
  'host:70000',
  'user@host',
  '*.*.example',
  '1.2.3.4.5',
  '[::1',
])('The allow list entry %j is reported as not valid', (entry) => {
  expect(() => parseAllowList([entry])).toThrow('egress allow list');
});
