import fc from 'fast-check';
import { isIP } from 'node:net';
import { expect, test } from 'vitest';
import { parseHosts } from './hosts-file.ts';

test('each name has all its addresses; comments, further blanks and nonsense are passed over', () => {
  const text = '127.0.0.1\tlocalhost\r\n# 10.0.0.1 no\n 10.0.0.2  a.Example. b # c\n::1 localhost\nnonsense d\n10.0.0.3\nfe80::1%lo e\n';
  expect(Object.fromEntries(parseHosts(text))).toEqual({
    localhost: [{ address: '127.0.0.1', family: 4 }, { address: '::1', family: 6 }],
    'a.example': [{ address: '10.0.0.2', family: 4 }],
    b: [{ address: '10.0.0.2', family: 4 }],
    e: [{ address: 'fe80::1%lo', family: 6 }],
  });
});

test('whatever the file holds, every name has addresses', () => {
  const word = fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.domain(), fc.constantFrom('#', '\n', '\t', ' '));
  fc.assert(
    fc.property(fc.array(word).map((words) => words.join(' ')), (text) => {
      for (const [name, addresses] of parseHosts(text)) expect([name, addresses.length > 0 && addresses.every(({ address, family }) => isIP(address) === family)]).toEqual([name, true]);
    }),
  );
});
