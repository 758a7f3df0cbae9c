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

let beacon: ScriptTracker;
let house: TestInstallation;
let service: RunningService;
let key: string;
beforeAll(async () => {
  beacon = await openScriptTracker();
  house = await openTestInstallation({ COLOPHON_EGRESS_ALLOW: beacon.host });
  key = await createUnlimitedKey(house);
});
beforeEach(async () => {
  service = await house.start();
});
afterEach(async () => {
  await service.stop('SIGKILL');
});
afterAll(async () => {
  await house.remove();
  beacon.close();
});

const requestText = (body: string): string =>
  `POST /api/v1/render HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const slowRequest = (name: string, wait_time = 1500): string =>
  requestText(JSON.stringify({ mode: 'CONVERT', input_type: 'html', data: beacon.document(name), wait_time }));

const refusesConnections = (): Promise<true | null> =>
  fetch(`${service.url}/health/live`).then(
    () => null,
    () => true,
  );

describe('A service that is told to stop', () => {
  it('answers what it has been asked, takes no more, and ends with 0', async () => {
    const { socket, received, closed } = await openRawConnection(service.url);
    socket.write(slowRequest('last', 3000));
    await beacon.waitUntilRun('last');
    const end = service.stop('SIGTERM');
    await waitUntil('new connections are refused', refusesConnections);

    socket.write(`GET /health/ready HTTP/1.1\r\nHost: x\r\n\r\n${requestText('{}')}`);
    await closed;
    const [render, ready] = received.text.split(/(?=HTTP\/1\.1 )/).map(parseHttpResponse);
    expect(render!.status).toBe(200);
    expect((await readPdf(String(render!.body.pdf_base64)))[0]!.text.trim()).toBe('last');
    expect([ready!.status, ready!.body.missing]).toEqual([503, ['the service is stopping']]);
    expect((await end).code).toBe(0);
  });

  it('tells those who ask on a connection that is still open to come again', async () => {
    const { socket, received, closed } = await openRawConnection(service.url);
    socket.write(slowRequest('asked'));
    await beacon.waitUntilRun('asked');
    const end = service.stop('SIGTERM');
    await waitUntil('new connections are refused', refusesConnections);
    socket.write(requestText('{}'));
    await closed;
    const [render, refused] = received.text.split(/(?=HTTP\/1\.1 )/).map(parseHttpResponse);
    expect(render!.status).toBe(200);
    expectErrorResponse(refused!, 'service_unavailable', { retry_after: 5 });
    expect((await end).code).toBe(0);
  });

  it('finishes also what nobody waits for any more', async () => {
    const { socket } = await openRawConnection(service.url);
    socket.write(slowRequest('left'));
    await beacon.waitUntilRun('left');
    socket.destroy();
    expect((await service.stop('SIGTERM')).code).toBe(0);
    const stories = await readRenderHistories(house);
    expect([...stories.values()].filter((story) => !hasEnded(story))).toEqual([]);
  });

  it('does not wait for callers who have said nothing yet, are in the middle of a request, or keep their connection for later', async () => {
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

  it('does not wait for a caller who does not read the answer', async () => {
    const { socket, closed } = await openRawConnection(service.url);
    socket.pause();
    socket.write(requestText('{}').repeat(2_000));
    await createClient(service.url, key).render('html', '<p>x</p>');
    expect((await service.stop('SIGTERM')).code).toBe(0);
    socket.resume();
    await closed;
  });

  it('leaves no process and no folder of a browser behind', async () => {
    await createClient(service.url, key).render('html', '<p>x</p><script>1</script>');
    const processes = descendantsOf(service.pid);
    expect(processes.length).toBeGreaterThan(4);
    const folders = browserFoldersOf(processes.map(({ command }) => command));
    expect(folders.length).toBe(renderModes.length);
    expect((await service.stop('SIGTERM')).code).toBe(0);
    expect(stillRunning(processes)).toEqual([]);
    expect(folders.filter((folder) => existsSync(folder))).toEqual([]);
  });

  it('goes without finishing when it is told again', async () => {
    const { socket, closed } = await openRawConnection(service.url);
    socket.write(
      requestText(JSON.stringify({ mode: 'CONVERT', input_type: 'html', data: beacon.endlessDocument('impatient') })),
    );
    await beacon.waitUntilRun('impatient');
    const gone = service.stop('SIGTERM');
    const again = setInterval(() => service.sendSignal('SIGTERM'), 50);
    expect((await gone).code).toBe(1);
    clearInterval(again);
    await closed;
  });
});

describe('A service that is killed', () => {
  it('leaves no process and no folder of a browser behind either', async () => {
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
