import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTraceparent, traceIdOf } from './traceparent.ts';

const hex = (length: number) =>
  fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`)).filter((text) => !/^0+$/.test(text));
const parts = fc.record({ trace: hex(32), span: hex(16), flags: fc.constantFrom('00', '01', 'ff') });

describe('A traceparent header', () => {
  it('is accepted in version 00', () => {
    fc.assert(
      fc.property(parts, ({ trace, span, flags }) => {
        const header = `00-${trace}-${span}-${flags}`;
        expect(parseTraceparent(header)).toBe(header);
        expect(traceIdOf(header)).toBe(trace);
      }),
    );
  });

  it('of a later version is reduced to version 00', () => {
    expect(parseTraceparent('cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-the-future-holds')).toBe(
      '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    );
  });

  it.each([
    ['none', undefined],
    ['an empty one', ''],
    ['a trace of zeroes', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
    ['a span of zeroes', `00-4bf92f3577b34da6a3ce929d0e0e4736-${'0'.repeat(16)}-01`],
    ['capitals', '00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01'],
    ['the forbidden version', 'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
    ['more than version 00 has', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x'],
    ['two of them', ['a', 'b']],
  ])('that is %s is ignored', (_, header) => {
    expect(parseTraceparent(header)).toBeNull();
  });

  it('with any other text is ignored', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        expect(parseTraceparent(header)).toBeNull();
      }),
    );
  });
});
