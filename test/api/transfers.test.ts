import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bareId } from '#contracts/names.ts';
import { createDownloadToken } from '#libs/secrets/download-token.ts';
import { limitTransfers } from '../../services/api/server/transfers.ts';
import { htmlRequest, type InProcessApi, openInProcessApi } from '../support/api/in-process-api.ts';
import { renderJob, stubPrint } from '../support/api/stub-renderer.ts';
import { waitUntil } from '../support/wait-until.ts';

const maxMb = 40;
/** More than the operating system buffers for a connection. */
const largePdf = Buffer.alloc(16 * 1024 * 1024);
const start = '2026-05-20T12:00:00.000Z';

let api: InProcessApi;
let secret: string;
let url: URL;
const sockets: Socket[] = [];

const openApi = async (stalledMs: number, maxMbPerAccount = maxMb): Promise<void> => {
  const transferLimits = { maxMbPerAccount, stalledMs };
  api = await openInProcessApi(start, { renderedPdf: largePdf, transferLimits });
  ({ secret } = await api.createKey(await api.createAccount('business')));
  url = new URL(await api.app.listen({ port: 0, host: '127.0.0.1' }));
};
beforeEach(() => openApi(60_000));
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await api.closeAndRemove();
});

const headersOf = (headers: Record<string, string | number>): string =>
  Object.entries({ host: url.host, ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');

/** Sends this much of a request, and reads nothing of the response. */
const sendOnly = async (start: string, headers: Record<string, string | number>, body = ''): Promise<Socket> => {
  const socket = connect(Number(url.port), '127.0.0.1').pause();
  sockets.push(socket);
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  socket.write(`${start} HTTP/1.1\r\n${headersOf(headers)}\r\n${body}`);
  return socket;
};

const authorization = (): { authorization: string } => ({ authorization: `Bearer ${secret}` });
const renderRequest = JSON.stringify(htmlRequest);
/** A render whose response is not read. */
const renderUnread = (): Promise<Socket> =>
  sendOnly(
    'POST /api/v1/render',
    { ...authorization(), 'content-type': 'application/json', 'content-length': renderRequest.length },
    renderRequest,
  );

const fetchStatus = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(new URL(path, url), { headers: authorization(), ...init });
  return { status: response.status, body: await response.text() };
};
const renderNow = () =>
  fetchStatus('/api/v1/render', {
    method: 'POST',
    headers: { ...authorization(), 'content-type': 'application/json' },
    body: renderRequest,
  });
const tooLarge = { status: 429, body: expect.stringContaining('"error":"transfers_too_large"') };

const completedJob = async (): Promise<string> => {
  const { body } = await api.request(secret, 'POST', '/api/v1/render/async', htmlRequest);
  await renderJob(api, body.job_id!, async (request) => ({ ...(await stubPrint(request)), pdf: largePdf }));
  await api.catchUpReadModels();
  return bareId('job', body.job_id!)!;
};

describe('The requests and unread responses of an account', () => {
  it('have a limit together, until they are read or given up; other accounts do not notice', async () => {
    const unread = await renderUnread();
    await waitUntil('a response that is not read is counted', async () => {
      const { status, body } = await renderNow();
      if (status === 200) return false;
      expect({ status, body }).toEqual(tooLarge);
      expect(JSON.parse(body)).toMatchObject({ max_mb: maxMb, retry_after: 5, render_id: expect.any(String) });
      return true;
    });
    expect((await fetchStatus('/api/v1/usage')).status).toBe(200);
    const own = secret;
    ({ secret } = await api.createKey(await api.createAccount('business')));
    expect((await renderNow()).status).toBe(200);
    secret = own;
    unread.destroy();
    await waitUntil('the account may read again', async () => (await renderNow()).status === 200);
  });

  it('include downloads, with a key and with a link', async () => {
    const id = await completedJob();
    const token = createDownloadToken(Buffer.alloc(32), id, new Date('2026-05-20T12:30:00.000Z'));
    const paths = [`/api/v1/download/render_${id}`, `/api/v1/renders/render_${id}/pdf`];
    const link = `/api/v1/download/render_${id}?token=${token}`;
    const unread = await Promise.all([link, link].map((path) => sendOnly(`GET ${path}`, {})));
    for (const path of paths)
      await waitUntil(`${path} is refused`, async () => (await fetchStatus(path)).status === 429);
    expect(await fetchStatus(link, { headers: {} })).toEqual(tooLarge);
    for (const socket of unread) socket.destroy();
    await waitUntil(
      'the link can be used again',
      async () => (await fetchStatus(link, { headers: {} })).status === 200,
    );
  });

  it.each([
    ['an announced length', { 'content-length': 10 * 1024 * 1024 }, '{'],
    ['no announced length', { 'transfer-encoding': 'chunked' }, `900000\r\n${' '.repeat(0x900000)}\r\n`],
  ])('include bodies that are still being sent, with %s', async (_, framing, body) => {
    const json = { ...authorization(), 'content-type': 'application/json' };
    const sending = await Promise.all(
      [1, 2, 3, 4, 5].map(() => sendOnly('POST /api/v1/render/async', { ...json, ...framing }, body)),
    );
    let received = '';
    for (const socket of sending) socket.on('data', (text) => (received += text.toString())).resume();
    await waitUntil('the one that is too much is refused', () => received.includes('"error":"transfers_too_large"'));
    expect(received.match(/^HTTP/gm)).toEqual(['HTTP']);
    for (const socket of sending) socket.destroy();
    const post = { method: 'POST', headers: json, body: JSON.stringify({ ...htmlRequest, data: 'x'.repeat(2 ** 20) }) };
    await waitUntil('a body is read again', async () => (await fetchStatus('/api/v1/render/async', post)).status < 400);
  });
});

describe('A transfer', () => {
  it('may be larger than the limit if it is the only one', async () => {
    await api.closeAndRemove();
    await openApi(60_000, 1);
    expect((await renderNow()).status).toBe(200);
  });

  it('is not counted for a caller who has disconnected before', () => {
    const transfers = limitTransfers({ addHook: () => undefined } as never, { maxMbPerAccount: 1, stalledMs: 60_000 });
    const response = Object.assign(new EventEmitter(), { closed: true });
    transfers.beginResponse({ raw: response } as never, 'a', 2 ** 20);
    expect(transfers.begin('a', 2 ** 20)).not.toThrow();
  });
});

describe('A response of which nothing is read', () => {
  it('ends with its connection', async () => {
    await api.closeAndRemove();
    await openApi(50);
    const unread = await renderUnread();
    const connections = (): Promise<number> =>
      new Promise((resolve) => api.app.server.getConnections((_, count) => resolve(count)));
    await waitUntil('the service has no connection', async () => (await connections()) === 0);
    expect(unread.destroyed).toBe(false);
  });

  it('does not limit how long the next response on its connection takes', async () => {
    const accepted = once(api.app.server, 'connection') as Promise<[Socket]>;
    const socket = await renderUnread();
    const [ofService] = await accepted;
    socket.write(`GET /api/v1/events/live HTTP/1.1\r\n${headersOf(authorization())}\r\n`);
    let received = '';
    socket.on('data', (text) => (received = (received + text.toString()).slice(-10_000))).resume();
    await waitUntil('the next response has begun', () => received.includes('text/event-stream'));
    expect(ofService.timeout).toBe(0);
  });
});
