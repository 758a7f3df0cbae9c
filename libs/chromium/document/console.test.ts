import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { collectConsole } from './console.ts';
import { connect } from '../cdp/connection.ts';
import { emptyPrintDiagnostics } from '../print-request.ts';

const openPage = async () => {
  const [toBrowser, fromBrowser] = [new PassThrough(), new PassThrough()];
  const session = connect(toBrowser, fromBrowser).session('page');
  const says = (message: object) => fromBrowser.write(`${JSON.stringify(message)}\0`);
  const logs = (text: string) =>
    says({
      method: 'Runtime.consoleAPICalled',
      params: { type: 'log', args: [{ type: 'string', value: text }] },
      sessionId: 'page',
    });
  const findings = emptyPrintDiagnostics();
  const listening = collectConsole(session, findings);
  for (const id of [1, 2]) says({ id, result: {} });
  await listening;
  return { findings, logs };
};

test('a hundred messages are kept, each cut, and the others are counted', async () => {
  const { findings, logs } = await openPage();
  for (let index = 0; index < 130; index += 1) logs(`${index} ${'é'.repeat(1_000)}`);
  await expect.poll(() => findings.omittedMessages).toBe(30);
  expect(findings.console).toHaveLength(100);
  expect(findings.console[7]!.text).toBe(`7 ${'é'.repeat(498)}...`);
});

test('what a page says at great length takes no memory', async () => {
  const { findings, logs } = await openPage();
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < 90; index += 1) {
    logs('x'.repeat(2 ** 20 - 1_000));
    await expect.poll(() => findings.console.length).toBe(index + 1);
  }
  logs('y'.repeat(2 ** 21));
  logs('the last word');
  await expect.poll(() => findings.console.at(-1)?.text).toBe('the last word');
  expect(findings.console).toHaveLength(92);
  expect(findings.console[90]).toEqual({ level: 'info', text: '(a message of 2.0 MB, too long to be shown)' });
  // A heap with all that was said would have 90 MB more.
  const heldMb = async (): Promise<number> => (
    await new Promise((resolve) => setImmediate(resolve)),
    (process.memoryUsage().heapUsed - before) / 2 ** 20
  );
  await expect.poll(heldMb).toBeLessThan(60);
});
