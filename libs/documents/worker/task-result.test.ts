import { describe, expect, test } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import { runTask } from './task-result.ts';

const endless = (depth: number): number => endless(depth + 1) + 1;

describe('the result of a task', () => {
  test('is its value', async () => {
    expect(await runTask(() => 1)).toEqual({ value: 1 });
  });

  test('has the fields of an ApiError', async () => {
    const fail = () => Promise.reject(ApiError.of('invalid_docx', 'damaged', { details: 'x' }));
    expect(await runTask(fail)).toEqual({
      error: { name: 'invalid_docx', message: 'damaged', extra: { details: 'x' } },
    });
  });

  test('is an error if the stack or the length of a string is exhausted', async () => {
    expect(await runTask(() => endless(0))).toMatchObject({
      error: { name: 'conversion_failed', extra: { details: 'nested too deeply' } },
    });
    expect(await runTask(() => 'x'.repeat(2 ** 29).repeat(2))).toMatchObject({ error: { name: 'conversion_failed' } });
  });

  test('is not made for internal errors, which are thrown', async () => {
    await expect(
      runTask(() => {
        throw new TypeError('a bug');
      }),
    ).rejects.toThrow('a bug');
  });
});
