import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { openBell } from './bell.ts';

const open = new AbortController().signal;
const often = 1;
const seldom = 1_000_000;

describe('whoever sleeps', () => {
  it('wakes at a ring, each once', async () => {
    const bell = openBell(seldom, () => true);
    const sleepers = [bell.heard(open), bell.heard(open)];
    bell.ring();
    expect(await Promise.all(sleepers)).toHaveLength(2);
  });

  it('wakes when something has changed elsewhere', async () => {
    const answers = [false, false, true];
    const bell = openBell(often, () => answers.shift()!);
    await bell.heard(open);
    expect(answers).toEqual([]);
  });

  it('wakes when it can no longer be told whether something has changed', async () => {
    const bell = openBell(often, () => {
      throw new Error('the file is gone');
    });
    await expect(bell.heard(open)).resolves.toBeUndefined();
  });

  it('wakes at an abort, and leaves nothing on the signal', async () => {
    const bell = openBell(seldom, () => true);
    const abort = new AbortController();
    const sleeping = bell.heard(abort.signal);
    bell.ring();
    await sleeping;
    expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
    const again = bell.heard(abort.signal);
    abort.abort();
    await again;
    await bell.heard(abort.signal);
  });

  it('wakes at the close, and does not fall asleep afterwards', async () => {
    const bell = openBell(seldom, () => true);
    const sleeping = bell.heard(open);
    bell.close();
    await sleeping;
    await bell.heard(open);
    expect(bell.closed()).toBe(true);
  });

  it('is not asked about when nobody sleeps', async () => {
    let asked = 0;
    const bell = openBell(often, () => (asked += 1) > 0);
    await bell.heard(open);
    const before = asked;
    await openBell(20, () => true).heard(open);
    expect(asked).toBe(before);
  });
});
