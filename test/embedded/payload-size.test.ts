import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { openRawConnection, parseHttpResponse, sendRawRequest } from '../support/client/raw-http.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { serviceForTestFile } from '../support/service/for-test-file.ts';
import { waitUntil } from '../support/wait-until.ts';

const at = serviceForTestFile();
let key: string;
let caller: ApiClient;
beforeAll(async () => {
  key = await createUnlimitedKey(at.installation);
  caller = createClient(at.service.url, key);
});

const mb = 1024 * 1024;
const bodyOf = (bytes: number): Buffer => {
  const frame = JSON.stringify({ mode: 'CONVERT', input_type: 'html', data: '' }).length;
  return Buffer.from(JSON.stringify({ mode: 'CONVERT', input_type: 'html', data: ' '.repeat(bytes - frame) }));
};
const pieces = (total: number): ReadableStream<Uint8Array> => {
  let left = total;
  return new ReadableStream({
    pull: (controller) => {
      if (left <= 0) return controller.close();
      controller.enqueue(new Uint8Array(Math.min(left, 65_536)).fill(0x20));
      left -= 65_536;
    },
  });
};
const streamed = (bytes: number) =>
  caller.request('POST', '/api/v1/render', {
    body: pieces(bytes),
    duplex: 'half',
    headers: { 'content-type': 'application/json' },
  } as RequestInit);

describe('A request of more than 10 MB', () => {
  it('is rejected with its size and the limit, and one of exactly 10 MB is accepted', async () => {
    expectErrorResponse(await caller.postRender(bodyOf(10 * mb + 1)), 'payload_too_large', {
      max_size_mb: 10,
      received_size_mb: 10.01,
    });
    expect((await caller.postRender(bodyOf(10 * mb))).status).toBe(200);
  });

  it('is rejected when it declares 60 MB and the caller sends all of it before it reads', async () => {
    expectErrorResponse(await caller.postRender(Buffer.alloc(60 * mb, ' ')), 'payload_too_large', {
      max_size_mb: 10,
      received_size_mb: 60,
    });
  });

  it('is rejected when it declares no size', async () => {
    const { received_size_mb: received } = expectErrorResponse(await streamed(60 * mb), 'payload_too_large', {
      max_size_mb: 10,
    });
    expect(received).toBeGreaterThan(10);
    expect(received).toBeLessThan(12);
  });

  it('is rejected while it is still being sent', async () => {
    const { socket, received } = await openRawConnection(at.service.url);
    socket.write(
      `POST /api/v1/render HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
        `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const piece = Buffer.alloc(mb, ' ');
    for (let sent = 0; sent < 11; sent += 1)
      socket.write(Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]));
    await waitUntil('the response arrives before the end of the body', () => received.text.endsWith('}'));
    expectErrorResponse(parseHttpResponse(received.text), 'payload_too_large');
    socket.destroy();
  });

  it('does not break the connection for the next request', async () => {
    for (let round = 0; round < 3; round += 1) {
      expectErrorResponse(await caller.postRender(Buffer.alloc(20 * mb, ' ')), 'payload_too_large');
      await caller.render('html', '<p>x</p>');
    }
  });

  it('does not use memory for the bytes over the limit', async () => {
    const memoryMb = (line: 'VmRSS' | 'VmHWM'): number =>
      Number(
        new RegExp(`^${line}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${at.service.pid}/status`, 'utf8'))?.[1],
      ) / 1024;
    await streamed(60 * mb);
    writeFileSync(`/proc/${at.service.pid}/clear_refs`, '5');
    const before = memoryMb('VmRSS');
    // The bodies of one round are 240 MB together. Those up to the limit, and copies that are not collected yet, take far less.
    const declared = Buffer.alloc(60 * mb, ' ');
    for (const send of [() => streamed(60 * mb), () => caller.postRender(declared)])
      await Promise.all(Array.from({ length: 4 }, send));
    expect(memoryMb('VmHWM') - before).toBeLessThan(100);
  });
});

describe('A caller that disconnects', () => {
  it('in the middle of a body causes no error', async () => {
    const { socket, received, closed } = await openRawConnection(at.service.url);
    socket.write(
      `POST /api/v1/render HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
        `Content-Type: application/json\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n{"mode":`,
    );
    await waitUntil('the request is seen', () => received.text.startsWith('HTTP/1.1 100 Continue'));
    socket.resetAndDestroy();
    await closed;
    await caller.render('html', '<p>x</p>');
    expect(at.service.output()).not.toMatch(/"level":"(error|fatal)"/);
  });
});

it('A body with a transfer coding that the service does not decode is rejected, with the name of the header', async () => {
  const body = JSON.stringify({ mode: 'CONVERT', input_type: 'html', data: '<p>x</p>' });
  const response = await sendRawRequest(
    at.service.url,
    `POST /api/v1/render HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\n` +
      'Content-Type: application/json\r\nTransfer-Encoding: gzip, chunked\r\n\r\n' +
      `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  );
  expectErrorResponse(response, 'invalid_request', {
    field: 'Transfer-Encoding',
    message: 'The transfer encoding gzip, chunked is not allowed; send the body uncompressed.',
  });
});
