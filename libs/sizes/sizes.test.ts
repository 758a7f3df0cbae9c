import { describe, expect, it } from 'vitest';
import { bytesPerMb, bytesToKb, bytesToMb } from './sizes.ts';

describe('A size', () => {
  it('in KB is rounded to two decimals', () => {
    expect([0, 1, 1024, 14_613].map(bytesToKb)).toEqual([0, 0, 1, 14.27]);
  });

  it('in MB exceeds a limit whenever its bytes do', () => {
    expect([10, 0.5, 5].map((mb) => bytesToMb(mb * bytesPerMb))).toEqual([10, 0.5, 5]);
    expect(bytesToMb(10 * bytesPerMb + 1)).toBe(10.01);
  });
});
