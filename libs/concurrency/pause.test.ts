import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { pause } from './pause.ts';

const longMs = 3_600_000;

it('A pause ends after its time, and leaves no listener on the signal', async () => {
  const { signal } = new AbortController();
  await pause(1, signal);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('A pause ends at an abort, also one before it', async () => {
  const stop = new AbortController();
  const pausing = pause(longMs, stop.signal);
  stop.abort(new Error('stopped'));
  await pausing;
  await pause(longMs, stop.signal, { ref: false });
  expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
});
