import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
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
import { descendantsOf, stillRunning } from '../support/processes/process-tree.ts';
import { hasEnded, readRenderHistories } from '../support/renders/render-histories.ts';

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

/** Renders a document in each render mode. */
const startAllBrowsers = async (): Promise<void> => {
  const client = createClient(service.url, key);
  for (const script of ['', '<script>1</script>', '<script>requestAnimationFrame(() => 1)</script>'])
    await client.render('html', `<p>x</p>${script}`);
};

const refusesConnections = (): Promise<true | null> =>
  fetch(`${service.url}/health/live`).then(
    () => null,
    () => true,
  );

describe('A service that gets SIGTERM', () => {
  it('completes its requests, accepts no new ones, and exits with code 0', async () => {
    const { socket, received, closed } = await openRawConnection(service.url);
    socket.write(heldRequest('last'));
    await scriptTracker.waitUntilRun('last');
    const end = service.stop('SIGTERM');
    await waitUntil('new connections are refused', refusesConnections);

    socket.write(`GET /health/ready HTTP/1.1\r\nHost: x\r\n\r\n${requestText('{}')}`);
    scriptTracker.release('last');
    await closed;
    const [render, ready] = received.text.split(/(?=HTTP\/1\.1 )/).map(parseHttpResponse);
    expect(render!.status).toBe(200);
    expect((await readPdf(String(render!.body.pdf_base64)))[0]!.text.trim()).toBe('last');
    expect([ready!.status, ready!.body.missing]).toEqual([503, ['the service is stopping']]);
    expect((await end).code).toBe(0);
  });

  it('tells callers on open connections to retry', async () => {
    const { socket, received, closed } = await openRawConnection(service.url);
    socket.write(heldRequest('asked'));
    await scriptTracker.waitUntilRun('asked');
    const end = service.stop('SIGTERM');
    await waitUntil('new connections are refused', refusesConnections);
    socket.write(requestText('{}'));
    scriptTracker.release('asked');
    await closed;
    const [render, refused] = received.text.split(/(?=HTTP\/1\.1 )/).map(parseHttpResponse);
    expect(render!.status).toBe(200);
    expectErrorResponse(refused!, 'service_unavailable', { retry_after: 5 });
    expect((await end).code).toBe(0);
  });

  it('finishes a render also when its caller has disconnected', async () => {
    const { socket } = await openRawConnection(service.url);
    socket.write(heldRequest('left'));
    await scriptTracker.waitUntilRun('left');
    socket.destroy();
    const end = service.stop('SIGTERM');
    await waitUntil('new connections are refused', refusesConnections);
    scriptTracker.release('left');
    expect((await end).code).toBe(0);
    const histories = await readRenderHistories(installation);
    expect([...histories.values()].filter((history) => !hasEnded(history))).toEqual([]);
  });

  it('does not wait for idle connections or for unfinished requests', async () => {
    const texts = [
      '',
      'GET /health/live HTTP/1.1\r\nHost:',
      requestText('{"mode":"CONVERT"}').slice(0, -10),
      'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n',
    ];
    const connections = await Promise.all(texts.map(() => openRawConnection(service.url)));
    for (const [index, { socket }] of connections.entries()) if (texts[index] !== '') socket.write(texts[index]!);
    await waitUntil('the last of them is answered', () => connections.at(-1)!.received.text.includes('live'));
    expect((await service.stop('SIGTERM')).code).toBe(0);
    await Promise.all(connections.map(({ closed }) => closed));
  });

  it('does not wait long for a caller that does not read the response', async () => {
    const { socket, closed } = await openRawConnection(service.url);
    socket.pause();
    socket.write(requestText('{}').repeat(2_000));
    await createClient(service.url, key).render('html', '<p>x</p>');
    expect((await service.stop('SIGTERM')).code).toBe(0);
    socket.resume();
    await closed;
  });

  it('leaves no browser process and no browser folder behind', async () => {
    await startAllBrowsers();
    const processes = descendantsOf(service.pid);
    expect(processes.length).toBeGreaterThan(4);
    const folders = browserFoldersOf(processes.map(({ command }) => command));
    expect(folders.length).toBe(renderModes.length);
    expect((await service.stop('SIGTERM')).code).toBe(0);
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

describe('A service that is killed', () => {
  it('leaves no browser process and no browser folder behind either', async () => {
    await startAllBrowsers();
    const processes = descendantsOf(service.pid);
    const folders = browserFoldersOf(processes.map(({ command }) => command));
    expect(folders.length).toBe(renderModes.length);
    await service.stop('SIGKILL');
    await waitUntil('the browsers are gone', () => stillRunning(processes).length === 0);
    await waitUntil('their folders are gone', () => folders.every((folder) => !existsSync(folder)));
  });
});

const browserFoldersOf = (commands: string[]): string[] => {
  const existing = new Set(readdirSync(tmpdir()).filter((name) => name.startsWith('colophon-browser-')));
  return [...existing]
    .filter((name) => commands.some((command) => command.includes(name)))
    .map((name) => `${tmpdir()}/${name}`);
};
