import { expect, it } from 'vitest';
import { abortReason } from './stop-signal.ts';

it('A signal that has aborted before stops a process, too', async () => {
  expect(await abortReason(AbortSignal.abort('SIGINT'))).toBe('SIGINT');
});
