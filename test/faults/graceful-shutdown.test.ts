import { existsSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { renderModes } from '#contracts/render-modes.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { createClient } from '../support/client/api-client.ts';
import { readPdf } from '../support/documents/read-pdf.ts';
import { openRawConnection, parseHttpResponse } from '../support/client/raw-http.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { type TestInstallation, openTestInstallation, type RunningService } from '../support/service/installation.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type ScriptTracker, openScriptTracker } from '../support/documents/script-tracker.ts';
import { browserFoldersOf, descendantsOf, stillRunning } from '../support/processes/process-tree.ts';
import { hasEnded, readRenderHistories } from '../support/renders/render-histories.ts';
import { renderInEachMode } from '../support/renders/render-in-each-mode.ts';

type Response = ReturnType<typeof parseHttpResponse>;

let scriptTracker: ScriptTracker;
let installation: TestInstallation;
let service: RunningService;
let key: string;
beforeAll(async () => {
  scriptTracker = await openScriptTracker();
  installation = await openTestInstallation({ COLOPHON_EGRESS_ALLOW: scriptTracker.host });
  key = await createUnlimitedKey(installation, '--plan', 'enterprise');
});
beforeEach(async () => {
  service = await installation.start();
});
afterEach(async () => {
  await service.stop('SIGKILL');
});
afterAll(async () => {
  await installation.remove();
  scriptTracker.close();
});

const requestText = (body: string): string =>
  [
    'POST /api/v1/render HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
const heldRequest = (name: string): string =>
  requestText(JSON.stringify({ mode: 'CONVERT', input_type: 'html', data: scriptTracker.heldDocument(name) }));

const refusesConnections = (): Promise<true | null> =>
  fetch(`${service.url}/health/live`).then(
    () => null,
    () => true,
  );

describe('A service that gets SIGTERM', () => {
  it('completes its requests, tells other callers to retry, accepts no connections, and exits with code 0', async () => {
    const names = ['last', 'asked', 'left'];
    const [last, asked, left] = await Promise.all(names.map(() => openRawConnection(service.url)));
    for (const [index, { socket }] of [last!, asked!, left!].entries()) socket.write(heldRequest(names[index]!));
    await Promise.all(names.map((name) => scriptTracker.waitUntilRun(name)));
    left!.socket.destroy();
    const end = service.stop('SIGTERM');
    await waitUntil('new connections are refused', refusesConnections);

    last!.socket.write(`GET /health/ready HTTP/1.1\r\nHost: x\r\n\r\n${requestText('{}')}`);
    asked!.socket.write(requestText('{}'));
    for (const name of names.slice(0, 2)) scriptTracker.release(name);
    await Promise.all([last!.closed, asked!.closed]);
    scriptTracker.release('left');
    const [[render, ready], [other, refused]] = [last!, asked!].map(({ received }) =>
      received.text.split(/(?=HTTP\/1\.1 )/).map(parseHttpResponse),
    ) as [[Response, Response], [Response, Response]];
    expect([render.status, other.status]).toEqual([200, 200]);
    expect((await readPdf(String(render.body.pdf_base64)))[0]!.text.trim()).toBe('last');
    expect([ready.status, ready.body.missing]).toEqual([503, ['the service is stopping']]);
    expectErrorResponse(refused, 'service_unavailable', { retry_after: 5 });
    expect((await end).code).toBe(0);
    const histories = [...(await readRenderHistories(installation)).values()];
    expect(histories.map(hasEnded), 'also the render whose caller has disconnected').toEqual([true, true, true]);
  });

  it('waits neither for idle or unfinished requests nor for a caller that does not read, and leaves no browser', async () => {
    await renderInEachMode(createClient(service.url, key));
    const processes = descendantsOf(service.pid);
    expect(processes.length).toBeGreaterThan(4);
    const folders = browserFoldersOf(processes);
    expect(folders.length).toBe(renderModes.length);
    const texts = [
      '',
      'GET /health/live HTTP/1.1\r\nHost:',
      requestText('{"mode":"CONVERT"}').slice(0, -10),
      'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n',
    ];
    const deaf = await openRawConnection(service.url);
    deaf.socket.pause();
    deaf.socket.write(requestText('{}').repeat(2_000));
    const connections = await Promise.all(texts.map(() => openRawConnection(service.url)));
    for (const [index, { socket }] of connections.entries()) if (texts[index] !== '') socket.write(texts[index]!);
    await waitUntil('the last of them is answered', () => connections.at(-1)!.received.text.includes('live'));
    await createClient(service.url, key).render('html', '<p>x</p>');
    const { code, stdout } = await service.stop('SIGTERM');
    expect(code, stdout.slice(-2_000)).toBe(0);
    deaf.socket.resume();
    await Promise.all([deaf, ...connections].map(({ closed }) => closed));
    // A process that was killed is listed until the system has ended it.
    await expect.poll(() => stillRunning(processes)).toEqual([]);
    expect(folders.filter((folder) => existsSync(folder))).toEqual([]);
  });

  it('exits without finishing when it gets a second signal', async () => {
    const { socket, closed } = await openRawConnection(service.url);
    socket.write(
      requestText(
        JSON.stringify({ mode: 'CONVERT', input_type: 'html', data: scriptTracker.endlessDocument('endless') }),
      ),
    );
    await scriptTracker.waitUntilRun('endless');
    const end = service.stop('SIGTERM');
    const repeated = setInterval(() => service.sendSignal('SIGTERM'), 50);
    expect((await end).code).toBe(1);
    clearInterval(repeated);
    await closed;
  });
});
