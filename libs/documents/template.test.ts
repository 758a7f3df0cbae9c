import { expect, it } from 'vitest';
import type { Problem } from '#contracts/http/problem.ts';
import { prepareTemplate } from './prepare.ts';

it('A template is not filled from data that is no JSON, and the refusal says why', () => {
  const filled = (data: string) => prepareTemplate({ content: '<p>{{a}}', contentHash: 'a', data: Buffer.from(data), variables: [], locale: 'en', timeZone: 'UTC', maxImages: null });
  expect(filled('{"a":1}').html).toContain('<p>1');
  let fault: unknown;
  try {
    filled('{"a":}');
  } catch (error) {
    fault = (error as Problem).fault;
  }
  expect(fault).toMatchObject({ name: 'invalid_request', message: expect.stringMatching(/^data is not JSON: /), extra: { field: 'data' } });
});
