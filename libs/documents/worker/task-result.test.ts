import { describe, expect, test } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import { runTask } from './task-result.ts';

const endless = (depth: number): number => endless(depth + 1) + 1;

describe('the answer of a worker', () => {
  test('is what the task gives', async () => {
    expect(await runTask(() => 1)).toEqual({ value: 1 });
  });

  test('is the plain fault of a Problem', async () => {
    const fail = () => Promise.reject(ApiError.of('invalid_docx', 'damaged', { details: 'x' }));
    expect(await runTask(fail)).toEqual({
      error: { name: 'invalid_docx', message: 'damaged', extra: { details: 'x' } },
    });
  });

  test('is a fault where the stack or the length of a text is exhausted', async () => {
    expect(await runTask(() => endless(0))).toMatchObject({
      error: { name: 'conversion_failed', extra: { details: 'nested too deeply' } },
    });
    expect(await runTask(() => 'x'.repeat(2 ** 29).repeat(2))).toMatchObject({ error: { name: 'conversion_failed' } });
  });

  test('stays an error where the fault is our own', async () => {
    await expect(
      runTask(() => {
        throw new TypeError('a bug');
      }),
    ).rejects.toThrow('a bug');
  });
});
