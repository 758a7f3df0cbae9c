import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { connect } from './connection.ts';
import { ResponseTooLarge, BrowserGone, CommandFailed } from './errors.ts';

const pipe = () => {
  const [toBrowser, fromBrowser] = [new PassThrough(), new PassThrough()];
  const connection = connect(toBrowser, fromBrowser, 1000);
  const says = (message: object) => fromBrowser.write(`${JSON.stringify(message)}\0`);
  return { connection, fromBrowser, says };
};

test('a refused command says which command and why', async () => {
  const { connection, says } = pipe();
  const call = connection.send('Browser.getVersion');
  says({ id: 1, error: { message: 'no such thing' } });
  await expect(call).rejects.toThrow(CommandFailed);
  await expect(call).rejects.toThrow('Browser.getVersion: no such thing');
});

test('an event reaches its own session alone', async () => {
  const { connection, says } = pipe();
  const heard: string[] = [];
  connection.session('a').on('Page.frameResized', () => heard.push('a'));
  connection.session('b').on('Page.frameResized', () => heard.push('b'));
  says({ method: 'Page.frameResized', params: {}, sessionId: 'b' });
  await expect.poll(() => heard).toEqual(['b']);
});

test('the end of the browser ends every command and every wait, and all that come later', async () => {
  const { connection, fromBrowser } = pipe();
  const page = connection.session('a');
  const underWay = [
    connection.send('Browser.getVersion'),
    page.send('Page.enable'),
    page.nextEvent('Page.loadEventFired', () => true),
  ];
  fromBrowser.end();
  for (const result of await Promise.allSettled(underWay))
    expect(result).toMatchObject({ status: 'rejected', reason: expect.any(BrowserGone) });
  await expect(page.send('Page.enable')).rejects.toThrow(BrowserGone);
});

test('a failed page leaves the others working', async () => {
  const { connection, says } = pipe();
  const [failing, other] = [connection.session('a'), connection.session('b')];
  const calls = [failing.send('Page.enable'), other.send('Page.enable')];
  failing.fail(new Error('enough'));
  says({ id: 2, result: {} });
  await expect(calls[0]).rejects.toThrow('enough');
  await expect(calls[1]).resolves.toEqual({});
});

test('an answer that is too long fails its command alone, and is not taken in', async () => {
  const { connection, says } = pipe();
  const [long, short] = [connection.send('Page.printToPDF'), connection.send('Browser.getVersion')];
  const answer = { id: 1, result: { data: 'A'.repeat(2000) } };
  says(answer);
  says({ method: 'Page.javascriptDialogOpening', params: { message: 'A'.repeat(2000) } });
  says({ id: 2, result: {} });
  await expect(long).rejects.toThrow(ResponseTooLarge);
  await expect(long).rejects.toHaveProperty('bytes', JSON.stringify(answer).length);
  await expect(short).resolves.toEqual({});
});

test('a browser that is given up counts as closed at once, before its process has ended', async () => {
  const { connection } = pipe();
  connection.fail(new BrowserGone('It hangs.'));
  await expect(connection.closed).resolves.toBeUndefined();
});
