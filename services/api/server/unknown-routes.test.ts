import { expect, it } from 'vitest';
import { similarPaths } from './unknown-routes.ts';

it.each([
  ['/render', '/api/v1/render'],
  ['/render/', '/api/v1/render'],
  ['/api/render', '/api/v1/render'],
  ['/v1/render', '/api/v1/render'],
  ['/api/v1/render/', '/api/v1/render'],
  ['/api/v1/', '/api/v1'],
  ['/api/v1/render', undefined],
])('The path that was probably meant by %s is %s', (path, meant) => {
  const similar = similarPaths(path);
  expect(similar.at(-1)).toBe(meant);
  expect(similar.filter((one) => one.includes('v1/v1'))).toEqual([]);
});
