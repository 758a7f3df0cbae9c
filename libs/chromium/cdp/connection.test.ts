import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { connect } from './connection.ts';
import { ResponseTooLarge, BrowserGone, CommandFailed } from './errors.ts';

const pipe = () => {
  const [toBrowser, fromBrowser] = [new PassThrough(), new PassThrough()];
  const connection = connect(toBrowser, fromBrowser, 1000);
  const receive = (message: object) => fromBrowser.write(`${JSON.stringify(message)}\0`);
  return { connection, fromBrowser, receive };
};

test('a rejected command reports the command and the reason', async () => {
  const { connection, receive } = pipe();
  const call = connection.send('Browser.getVersion');
  receive({ id: 1, error: { message: 'no such thing' } });
  await expect(call).rejects.toThrow(CommandFailed);
  await expect(call).rejects.toThrow('Browser.getVersion: no such thing');
});

test('an event only reaches its own session', async () => {
  const { connection, receive } = pipe();
  const received: string[] = [];
  connection.session('a').on('Page.frameResized', () => received.push('a'));
  connection.session('b').on('Page.frameResized', () => received.push('b'));
  receive({ method: 'Page.frameResized', params: {}, sessionId: 'b' });
  await expect.poll(() => received).toEqual(['b']);
});

test('the end of the browser fails all pending and later commands and waits', async () => {
  const { connection, fromBrowser } = pipe();
  const page = connection.session('a');
  const pending = [
    connection.send('Browser.getVersion'),
    page.send('Page.enable'),
    page.nextEvent('Page.loadEventFired', () => true),
  ];
  fromBrowser.end();
  for (const result of await Promise.allSettled(pending))
    expect(result).toMatchObject({ status: 'rejected', reason: expect.any(BrowserGone) });
  await expect(page.send('Page.enable')).rejects.toThrow(BrowserGone);
});

test('a failed page does not affect other pages', async () => {
  const { connection, receive } = pipe();
  const [failing, other] = [connection.session('a'), connection.session('b')];
  const calls = [failing.send('Page.enable'), other.send('Page.enable')];
  failing.fail(new Error('enough'));
  receive({ id: 2, result: {} });
  await expect(calls[0]).rejects.toThrow('enough');
  await expect(calls[1]).resolves.toEqual({});
});

test('an error of a listener fails its page, and nothing else', async () => {
  const { connection, receive } = pipe();
  const [failing, other] = [connection.session('a'), connection.session('b')];
  failing.on('Page.frameResized', () => {
    throw new Error('wrong');
  });
  const calls = [failing.send('Page.enable'), other.send('Page.enable')];
  receive({ method: 'Page.frameResized', params: {}, sessionId: 'a' });
  receive({ id: 2, result: {} });
  await expect(calls[0]).rejects.toThrow('wrong');
  await expect(calls[1]).resolves.toEqual({});
});

test('an oversized response only fails its own command, and is not kept', async () => {
  const { connection, receive } = pipe();
  const [long, short] = [connection.send('Page.printToPDF'), connection.send('Browser.getVersion')];
  const response = { id: 1, result: { data: 'A'.repeat(2000) } };
  receive(response);
  receive({ method: 'Page.javascriptDialogOpening', params: { message: 'A'.repeat(2000) } });
  receive({ id: 2, result: {} });
  await expect(long).rejects.toThrow(ResponseTooLarge);
  await expect(long).rejects.toHaveProperty('bytes', JSON.stringify(response).length);
  await expect(short).resolves.toEqual({});
});

test('a connection that is failed is closed at once, before the browser process ends', async () => {
  const { connection } = pipe();
  connection.fail(new BrowserGone('It hangs.'));
  await expect(connection.closed).resolves.toBeUndefined();
});
