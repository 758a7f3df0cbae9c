import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessApi, openInProcessApi } from '../support/api/in-process-api.ts';

let api: InProcessApi;
let secret: string;
beforeAll(async () => {
  api = await openInProcessApi('2026-05-20T12:00:30.000Z');
  secret = (await api.createKey(await api.createAccount('pro'))).secret;
  await api.app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => api.closeAndRemove());

/** Sends a request line unchanged. Returns status and body. */
const ask = async (
  target: string,
  authorization = '',
): Promise<{ status: number; body: { error?: string; templates?: unknown } }> => {
  const socket = connect((api.app.server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  socket.end(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${authorization}\r\n`);
  const response = await text(socket);
  return {
    status: Number(response.split(' ')[1]),
    body: JSON.parse(response.slice(response.indexOf('\r\n\r\n') + 4)) as { error?: string },
  };
};

describe('A path in another spelling', () => {
  it.each([
    '/api/v1/templates',
    '/%61pi/v1/templates',
    '/a%70i/v1/%74emplates',
    'http://localhost/api/v1/templates',
    'http://elsewhere.test/api/v1/templates',
  ])('needs a key like the usual one: %s', async (target) => {
    expect(await ask(target)).toMatchObject({ status: 401, body: { error: 'missing_authorization' } });
    expect(await ask(target, `Authorization: Bearer ${secret}\r\n`)).toMatchObject({
      status: 200,
      body: { templates: [] },
    });
  });
});
