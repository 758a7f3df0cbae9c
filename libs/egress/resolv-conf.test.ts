import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fullNames, parseResolvConf } from './resolv-conf.ts';

test.each([
  ['', { search: [], ndots: 1 }],
  ['nameserver 10.0.0.1\nsearch a.test b.test.\noptions timeout:1 ndots:5 # k8s\n', { search: ['a.test', 'b.test'], ndots: 5 }],
  ['domain a.test\n', { search: ['a.test'], ndots: 1 }],
  ['search a.test\r\n;search b.test\r\noptions ndots:99\n', { search: ['a.test'], ndots: 15 }],
  ['search a.test\nsearch b.test\n', { search: ['b.test'], ndots: 1 }],
])('%j says %j', (text, rules) => {
  expect(parseResolvConf(text)).toEqual(rules);
});

test('a short name is completed first, a longer one last', () => {
  const rules = { search: ['a.test', 'b.test'], ndots: 2 };
  expect(fullNames('wiki', rules)).toEqual(['wiki.a.test', 'wiki.b.test', 'wiki']);
  expect(fullNames('wiki.c.test', rules)).toEqual(['wiki.c.test', 'wiki.c.test.a.test', 'wiki.c.test.b.test']);
});

test('any text can be read, and a name is always tried as it is, too', () => {
  const line = fc.tuple(fc.constantFrom('search', 'domain', 'options', 'nameserver', '#', ''), fc.string()).map((words) => words.join(' '));
  fc.assert(
    fc.property(fc.array(line), fc.domain(), (lines, host) => {
      expect(fullNames(host, parseResolvConf(lines.join('\n')))).toContain(host);
    }),
  );
});
