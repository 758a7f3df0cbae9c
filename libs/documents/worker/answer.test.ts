import { describe, expect, test } from 'vitest';
import { Problem } from '#contracts/http/problem.ts';
import { answering } from './answer.ts';

const endless = (depth: number): number => endless(depth + 1) + 1;

describe('the answer of a worker', () => {
  test('is what the task gives', async () => {
    expect(await answering(() => 1)).toEqual({ value: 1 });
  });

  test('is the plain fault of a Problem', async () => {
    const fail = () => Promise.reject(Problem.of('invalid_docx', 'damaged', { details: 'x' }));
    expect(await answering(fail)).toEqual({ fault: { name: 'invalid_docx', message: 'damaged', extra: { details: 'x' } } });
  });

  test('is a fault where the stack or the length of a text is exhausted', async () => {
    expect(await answering(() => endless(0))).toMatchObject({ fault: { name: 'conversion_failed', extra: { details: 'nested too deeply' } } });
    expect(await answering(() => 'x'.repeat(2 ** 29).repeat(2))).toMatchObject({ fault: { name: 'conversion_failed' } });
  });

  test('stays an error where the fault is our own', async () => {
    await expect(
      answering(() => {
        throw new TypeError('a bug');
      }),
    ).rejects.toThrow('a bug');
  });
});
