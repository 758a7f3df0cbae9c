import { expect, test, vi } from 'vitest';
import { aggregateRepeatedWarnings } from './repeated-warnings.ts';

type Line = { fact: Record<string, unknown>; message: string; level: string };

const collectLines = (everyMs: number) => {
  const lines: Line[] = [];
  return {
    lines,
    ...aggregateRepeatedWarnings((fact, message, level = 'warn') => void lines.push({ fact, message, level }), everyMs),
  };
};
const missing = (sha256: string) => ({ render: sha256, error: `BlobNotFound: no blob ${sha256.repeat(8)}` });

test('Equal warnings are reported once, and then counted per interval and at the end', async () => {
  const { report, lines, close } = collectLines(3_600_000);
  for (const letter of ['a', 'b', 'c']) report(missing(letter), 'render could not be processed');
  report({ error: 'Error: no luck' }, 'render could not be processed');
  report(missing('a'), 'another message');
  expect(lines.map(({ message, fact }) => [message, fact['error']])).toEqual([
    ['render could not be processed', 'BlobNotFound: no blob aaaaaaaa'],
    ['render could not be processed', 'Error: no luck'],
    ['another message', 'BlobNotFound: no blob aaaaaaaa'],
  ]);
  close();
  expect(lines.slice(3)).toEqual([
    { message: 'render could not be processed', fact: { ...missing('c'), occurrences: 2 }, level: 'warn' },
  ]);
});

test('A warning that did not occur for an interval is reported at once', async () => {
  const { report, lines, close } = collectLines(1);
  report({}, 'one');
  report({}, 'one');
  await vi.waitFor(() => expect(lines.at(-1)).toMatchObject({ fact: { occurrences: 1 } }), 60_000);
  await vi.waitFor(() => {
    report({}, 'one');
    expect(lines.at(-1)!.fact).toEqual({});
    expect(lines.length).toBeGreaterThan(2);
  });
  close();
});

test('All errors are reported', () => {
  const { report, lines } = collectLines(3_600_000);
  for (let count = 0; count < 3; count += 1) report({}, 'look at this', 'error');
  expect(lines).toHaveLength(3);
});
