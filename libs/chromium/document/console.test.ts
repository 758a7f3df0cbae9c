import { expect, test } from 'vitest';
import { collectConsole } from './console.ts';
import { emptyPrintDiagnostics } from '../print-request.ts';
import { heapBytes, openSimulatedPage } from '../testing/simulated-page.ts';

const openPage = async () => {
  const { session, answer, send } = openSimulatedPage();
  const logs = (text: string) =>
    send('Runtime.consoleAPICalled', { type: 'log', args: [{ type: 'string', value: text }] });
  const diagnostics = emptyPrintDiagnostics();
  const collecting = collectConsole(session, diagnostics);
  for (const id of [1, 2]) answer(id);
  await collecting;
  return { diagnostics, logs };
};

test('the first 100 messages are kept and truncated, and the others are counted', async () => {
  const { diagnostics, logs } = await openPage();
  for (let index = 0; index < 130; index += 1) logs(`${index} ${'é'.repeat(1_000)}`);
  await expect.poll(() => diagnostics.omittedMessages).toBe(30);
  expect(diagnostics.console).toHaveLength(100);
  expect(diagnostics.console[7]!.text).toBe(`7 ${'é'.repeat(498)}...`);
});

test('very long console messages take no memory', async () => {
  const { diagnostics, logs } = await openPage();
  const before = heapBytes();
  for (let index = 0; index < 90; index += 1) {
    logs('x'.repeat(2 ** 20 - 1_000));
    await expect.poll(() => diagnostics.console.length).toBe(index + 1);
  }
  logs('y'.repeat(2 ** 21));
  logs('the last message');
  await expect.poll(() => diagnostics.console.at(-1)?.text).toBe('the last message');
  expect(diagnostics.console).toHaveLength(92);
  expect(diagnostics.console[90]).toEqual({ level: 'info', text: '(a message of 2.0 MB, too long to be shown)' });
  // A heap with all messages would be 90 MB larger.
  const heldMb = async (): Promise<number> => (
    await new Promise((resolve) => setImmediate(resolve)),
    (heapBytes() - before) / 2 ** 20
  );
  await expect.poll(heldMb).toBeLessThan(60);
});
