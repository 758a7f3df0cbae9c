import { beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { sendRawRequest, openRawConnection } from '../support/client/raw-http.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { sharedService } from '../support/service/for-test-file.ts';
import { waitUntil } from '../support/wait-until.ts';

const at = sharedService();
let key: string;
beforeAll(async () => void (key = await createUnlimitedKey(at.installation)));

describe('A body in many pieces', () => {
  const sendPieces = (piece: string, pieces: number) => {
    const chunk = `${piece.length.toString(16)}\r\n${piece}\r\n`;
    const head = `POST /api/v1/render HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n`;
    const fields = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    return sendRawRequest(at.service.url, `${head}${fields}${chunk.repeat(pieces)}0\r\n\r\n`);
  };

  it('is rejected if they are small, because each costs memory', async () => {
    const { message } = expectErrorResponse(await sendPieces(' ', 30_000), 'invalid_request', { field: 'body' });
    expect(message).toContain('too many small pieces: 10001 with 1 bytes on average. Send at least 1024 bytes');
  });

  it('is read if they are few, or large', async () => {
    for (const [piece, pieces] of [
      [' ', 10_000],
      [' '.repeat(1024), 10_001],
    ] as const)
      expect((await sendPieces(piece, pieces)).body['message']).not.toContain('pieces');
  });
});

describe('Requests that do not wait for the answers before them', () => {
  const request = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
  const answersIn = (text: string): number => text.split('HTTP/1.1 200 OK').length - 1;

  it('are answered up to a number, as often as a client sends them', async () => {
    const { socket, received } = await openRawConnection(at.service.url);
    for (const answers of [16, 32]) {
      socket.write(request.repeat(16));
      await waitUntil('all requests are answered', () => answersIn(received.text) === answers);
    }
    expect(answersIn(received.text)).toBe(32);
    socket.destroy();
  });

  it('end the connection above it', async () => {
    const { socket, received, closed } = await openRawConnection(at.service.url);
    socket.write(request.repeat(1000));
    await closed;
    expect(answersIn(received.text)).toBeLessThan(1000);
  });
});
