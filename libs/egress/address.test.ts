import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import { classifyAddress } from './address.ts';

describe('An address is public', () => {
  test.each([
    '8.8.8.8',
    '93.184.216.34',
    '223.255.255.255',
    '2606:4700::1111',
    '2a00:1450:4001:82f::200e',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ])('%s', (address) => {
    expect(classifyAddress(address)).toBe('public');
  });
});

describe('An address is not public', () => {
  test.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.7',
    '203.0.113.9',
    '224.0.0.1',
    '239.255.255.250',
    '240.0.0.1',
    '255.255.255.255',
  ])('%s', (address) => {
    expect(classifyAddress(address)).not.toBe('public');
  });

  test.each([
    '::',
    '::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '100::1',
    '2001:db8::1',
    '3fff::1',
    '5f00::1',
    '2001::1',
    '2001:2::1',
    '2001:10::1',
    '2001:20::1',
    '4000::1',
    '1::1',
    '::127.0.0.1',
    '::8.8.8.8',
    '::ffff:127.0.0.1',
    '::ffff:a00:1',
    '::ffff:0:10.0.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::8.8.8.8',
    '2002:7f00:1::',
    '2002:a00:1::1',
    '2002:808:808::1',
    '2001:0:808:808::1',
  ])('%s', (address) => {
    expect(classifyAddress(address)).not.toBe('public');
  });

  // The IANA registries of special-purpose addresses: blocks that are not globally reachable, or only for a protocol.
  test.each([
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.31.196.0/24',
    '192.52.193.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
    '192.175.48.0/24',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '224.0.0.0/4',
    '240.0.0.0/4',
    '::/128',
    '::1/128',
    '64:ff9b:1::/48',
    '100::/64',
    '100:0:0:1::/64',
    '2001::/23',
    '2001::/32',
    '2001:1::/32',
    '2001:2::/48',
    '2001:3::/32',
    '2001:4:112::/48',
    '2001:10::/28',
    '2001:20::/28',
    '2001:30::/28',
    '2001:db8::/32',
    '2002::/16',
    '2620:4f:8000::/48',
    '3fff::/20',
    '5f00::/16',
    'fc00::/7',
    'fe80::/10',
    'fec0::/10',
    'ff00::/8',
  ])('if it is in %s, at the start, at the end or between', (block) => {
    const [base, bits] = ipaddr.parseCIDR(block);
    const start = base.toByteArray();
    const inBlock = (byte: number, i: number): number => {
      const free = Math.max(0, Math.min(8, 8 * (i + 1) - bits));
      return start[i]! | (byte & (2 ** free - 1));
    };
    const bytes = fc.oneof(
      fc.constantFrom(0, 255).map((byte) => start.map(() => byte)),
      fc.array(fc.nat(255), { minLength: start.length, maxLength: start.length }),
    );
    fc.assert(
      fc.property(bytes, (some) => {
        expect(classifyAddress(ipaddr.fromByteArray(some.map(inBlock)).toString())).not.toBe('public');
      }),
    );
  });

  test.each([
    ['Azure', ['168.63.129.16', '::ffff:168.63.129.16', '64:ff9b::a83f:8110', '169.254.169.254']],
    ['Alibaba', ['100.100.100.200']],
    ['AWS', ['169.254.169.254', '169.254.170.2', '169.254.170.23', 'fd00:ec2::254', 'fd00:ec2::23']],
    ['Google', ['169.254.169.254', 'fd20:ce::254']],
    ['Oracle', ['192.0.0.192', 'fd00:c1::a9fe:a9fe']],
    ['Scaleway', ['169.254.42.42', 'fd00:42::42']],
    ['OpenStack', ['fe80::a9fe:a9fe']],
  ])('if %s serves metadata there', (_provider, addresses) => {
    expect(addresses.filter((address) => classifyAddress(address) === 'public')).toEqual([]);
  });

  test.each(['2606:4700::5efe:8.8.8.8', '2606:4700::200:5efe:10.0.0.1'])(
    'if it embeds an IPv4 address for a tunnel: %s',
    (address) => {
      expect(classifyAddress(address)).toBe('isatap');
    },
  );

  test.each(['', 'localhost', '1.2.3', '010.0.0.1', '0x7f.0.0.1', '[::1]', '8.8.8.8:80', '8.8.8.8 '])(
    'because it is not an address: %j',
    (text) => {
      expect(classifyAddress(text)).toBe('not an address');
    },
  );
});

test('IPv6 outside global unicast is never public', () => {
  const group = fc.integer({ min: 0, max: 0xffff });
  fc.assert(
    fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
      const first = groups[0] ?? 0;
      fc.pre((first & 0xe000) !== 0x2000 && first !== 0x64 && groups.slice(0, 5).some((part) => part !== 0));
      expect(classifyAddress(groups.map((part) => part.toString(16)).join(':'))).not.toBe('public');
    }),
  );
});

test('An IPv4 address has the same class in its mapped and translated IPv6 form', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const addressClass = classifyAddress(address);
      expect(classifyAddress(`::ffff:${address}`)).toBe(addressClass);
      expect(classifyAddress(`64:ff9b::${address}`)).toBe(addressClass);
    }),
  );
});
