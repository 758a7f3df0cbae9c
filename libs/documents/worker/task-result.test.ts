import { describe, expect, test } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import { runTask } from './task-result.ts';

const endless = (depth: number): number => endless(depth + 1) + 1;

const ofInput = { readsInput: true };
const throwing = (error: unknown) => () => Promise.reject(error);

describe('the result of a task', () => {
  test('is its value', async () => {
    expect(await runTask(() => 1, ofInput)).toEqual({ value: 1 });
  });

  test('has the fields of an ApiError', async () => {
    const fail = throwing(ApiError.of('invalid_docx', 'damaged', { details: 'x' }));
    expect(await runTask(fail, ofInput)).toEqual({
      error: { name: 'invalid_docx', message: 'damaged', extra: { details: 'x' } },
    });
  });

  test('is an error if the stack or the length of a string is exhausted', async () => {
    for (const readsInput of [true, false]) {
      expect(await runTask(() => endless(0), { readsInput })).toEqual({
        error: expect.objectContaining({
          name: 'conversion_failed',
          extra: { details: 'nested too deeply' },
        }) as unknown,
      });
      expect(await runTask(() => 'x'.repeat(2 ** 29).repeat(2), { readsInput })).toMatchObject({
        error: { name: 'conversion_failed', extra: { details: 'too large' } },
      });
    }
  });

  test('is an error of the document if reading it throws anything else', async () => {
    for (const error of [new TypeError('a bug'), new RangeError('Invalid time value'), 'a text'])
      expect(await runTask(throwing(error), ofInput)).toEqual({
        error: expect.objectContaining({
          name: 'conversion_failed',
          extra: { details: 'unexpected content' },
        }) as unknown,
        failure: { message: expect.stringContaining(String(error)) as unknown, isOfSystem: false },
      });
  });

  test('is a failure if the task reads no document, and if the system or the installation is the cause', async () => {
    const failure = (error: unknown, isOfSystem: boolean) => ({
      failure: { message: expect.stringContaining(String(error)) as unknown, isOfSystem },
    });
    const bug = new TypeError('a bug');
    expect(await runTask(throwing(bug), { readsInput: false })).toEqual(failure(bug, false));
    for (const error of [
      Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'write' }),
      Object.assign(new Error('no module'), { code: 'ERR_MODULE_NOT_FOUND' }),
    ])
      expect(await runTask(throwing(error), ofInput)).toEqual(failure(error, true));
  });
});
