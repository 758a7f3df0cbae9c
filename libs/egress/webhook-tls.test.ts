import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createCertificateAuthority, createSelfSignedCertificate } from './testing/certificates.ts';
import { closeAfterTest } from './testing/test-egress.ts';
import { startHttpServer, startHttpsServer, startTcpServer } from './testing/test-servers.ts';
import { host, shortTimeout, useWebhookReceivers, webhookRequest } from './testing/webhook-receivers.ts';

const { authority, folder, startEgress } = useWebhookReceivers();

describe('A webhook request over TLS', () => {
  test('can go to an address that the operator allows, with a certificate for that address', async () => {
    const { port } = await closeAfterTest(
      startHttpsServer(await authority().issue('127.0.0.1'), (_request, response) => response.end('ok')),
    );
    const egress = await startEgress({ allowList: ['127.0.0.0/8'] });
    expect(await egress.sendWebhook(webhookRequest(port, { url: `https://127.0.0.1:${port}/` }))).toMatchObject({
      kind: 'responded',
      status: 200,
    });
  });

  test('fails when the receiver does not speak TLS', async () => {
    const { port } = await closeAfterTest(startHttpServer((_request, response) => response.end()));
    expect(await (await startEgress()).sendWebhook(webhookRequest(port))).toMatchObject({
      kind: 'failed',
      reason: `${host} does not speak TLS at this port.`,
    });
  });

  test('fails when the receiver closes the connection during the TLS handshake', async () => {
    const { port } = await closeAfterTest(startTcpServer((socket) => socket.once('data', () => socket.destroy())));
    expect(await (await startEgress()).sendWebhook(webhookRequest(port))).toMatchObject({
      kind: 'failed',
      reason: `${host} closed the connection during the TLS handshake.`,
    });
  });

  test('fails when the receiver refuses the version of TLS', async () => {
    const protocolVersionAlert = Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46]);
    const { port } = await closeAfterTest(
      startTcpServer((socket) => socket.once('data', () => socket.end(protocolVersionAlert))),
    );
    expect(await (await startEgress()).sendWebhook(webhookRequest(port))).toMatchObject({
      kind: 'failed',
      reason: `${host} does not support TLS 1.2 or later.`,
    });
  });

  test('times out when the TLS handshake does not finish', async () => {
    const { port } = await closeAfterTest(startTcpServer(() => {}));
    expect(await (await startEgress()).sendWebhook(webhookRequest(port, shortTimeout))).toMatchObject({
      kind: 'timeout',
      reason: `There was no connection to ${host} within 1 s.`,
    });
    expect(
      await (await startEgress({ limits: { connectTimeoutMs: 100 } })).sendWebhook(webhookRequest(port)),
    ).toMatchObject({
      kind: 'timeout',
      reason: `${host} did not finish the TLS handshake in time.`,
    });
  });

  test.each([
    ['has expired', async () => authority().issue(host, new Date(Date.now() - 60_000))],
    ['is issued for another host', async () => authority().issue('other.test')],
    ['comes from an authority that is not trusted', async () => (await createCertificateAuthority()).issue(host)],
    ['is self-signed', async () => createSelfSignedCertificate(host)],
  ])('fails without being sent when the certificate %s', async (reason, made) => {
    let requests = 0;
    const { port } = await closeAfterTest(startHttpsServer(await made(), () => void (requests += 1)));
    expect(await (await startEgress()).sendWebhook(webhookRequest(port))).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining(reason),
    });
    expect(requests).toBe(0);
  });
});

test('Egress does not open with a CA file without a certificate', async () => {
  const file = join(folder(), 'empty.pem');
  await writeFile(file, 'nothing here');
  await expect(startEgress({ caFile: file })).rejects.toThrow('holds no certificate');
});
