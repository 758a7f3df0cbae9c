import fc from 'fast-check';
import { isIP } from 'node:net';
import { describe, expect, test } from 'vitest';
import { namesToTry, parseHosts, parseResolvConf } from './system-resolver.ts';

describe('A hosts file', () => {
  test('gives each name all its addresses, and ignores comments, blanks and invalid lines', () => {
    const text =
      '127.0.0.1\tlocalhost\r\n# 10.0.0.1 no\n 10.0.0.2  a.Example. b # c\n::1 localhost\nnonsense d\n10.0.0.3\nfe80::1%lo e\n';
    expect(Object.fromEntries(parseHosts(text))).toEqual({
      localhost: [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ],
      'a.example': [{ address: '10.0.0.2', family: 4 }],
      b: [{ address: '10.0.0.2', family: 4 }],
      e: [{ address: 'fe80::1%lo', family: 6 }],
    });
  });

  test('gives every name at least one address, whatever its content', () => {
    const word = fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.domain(), fc.constantFrom('#', '\n', '\t', ' '));
    fc.assert(
      fc.property(
        fc.array(word).map((words) => words.join(' ')),
        (text) => {
          for (const [name, addresses] of parseHosts(text))
            expect([
              name,
              addresses.length > 0 && addresses.every(({ address, family }) => isIP(address) === family),
            ]).toEqual([name, true]);
        },
      ),
    );
  });
});

describe('A resolv.conf file', () => {
  test.each([
    ['', { search: [], ndots: 1 }],
    [
      'nameserver 10.0.0.1\nsearch a.test b.test.\noptions timeout:1 ndots:5 # k8s\n',
      { search: ['a.test', 'b.test'], ndots: 5 },
    ],
    ['domain a.test\n', { search: ['a.test'], ndots: 1 }],
    ['search a.test\r\n;search b.test\r\noptions ndots:99\n', { search: ['a.test'], ndots: 15 }],
    ['search a.test\nsearch b.test\n', { search: ['b.test'], ndots: 1 }],
  ])('%j is parsed as %j', (text, rules) => {
    expect(parseResolvConf(text)).toEqual(rules);
  });

  test('tries the search domains first for a short name, and last for a longer one', () => {
    const rules = { search: ['a.test', 'b.test'], ndots: 2 };
    expect(namesToTry('wiki', rules)).toEqual(['wiki.a.test', 'wiki.b.test', 'wiki']);
    expect(namesToTry('wiki.c.test', rules)).toEqual(['wiki.c.test', 'wiki.c.test.a.test', 'wiki.c.test.b.test']);
  });

  test('can have any content, and a name is always tried unchanged too', () => {
    const line = fc
      .tuple(fc.constantFrom('search', 'domain', 'options', 'nameserver', '#', ''), fc.string())
      .map((words) => words.join(' '));
    fc.assert(
      fc.property(fc.array(line), fc.domain(), (lines, host) => {
        expect(namesToTry(host, parseResolvConf(lines.join('\n')))).toContain(host);
      }),
    );
  });
});
