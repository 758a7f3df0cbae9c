import { expect, it } from 'vitest';
import { parseExactJson } from '#contracts/http/exact-numbers.ts';
import { queryClient } from './queries.ts';

it('A number with many digits is still exact when another answer replaces it', () => {
  const answers = ['{"total":12345678901234567890,"n":1}', '{"total":12345678901234567891,"n":1}'];
  for (const text of answers) {
    queryClient.setQueryData(['answer'], parseExactJson(text));
    expect(JSON.stringify(queryClient.getQueryData(['answer']))).toBe(text);
  }
});
