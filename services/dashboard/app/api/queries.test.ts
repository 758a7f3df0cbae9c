import { expect, it } from 'vitest';
import { parseExactJson } from '#contracts/http/exact-numbers.ts';
import { queryClient } from './queries.ts';

it('A map is replaced by another one', () => {
  for (const name of ['old', 'new']) queryClient.setQueryData(['names'], new Map([['tpl_1', name]]));
  expect(queryClient.getQueryData(['names'])).toEqual(new Map([['tpl_1', 'new']]));
});

it('What is the same in another response keeps its identity', () => {
  const [first, second] = ['a', 'b'].map((name) => ({ same: [{ id: 1 }], name }));
  queryClient.setQueryData(['rows'], first);
  queryClient.setQueryData(['rows'], second);
  expect(queryClient.getQueryData<typeof first>(['rows'])?.same).toBe(first!.same);
});

it('A number with many digits is still exact when another response replaces it', () => {
  const responses = ['{"total":12345678901234567890,"n":1}', '{"total":12345678901234567891,"n":1}'];
  for (const text of responses) {
    queryClient.setQueryData(['response'], parseExactJson(text));
    expect(JSON.stringify(queryClient.getQueryData(['response']))).toBe(text);
  }
});
