import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { EgressOptions, WebhookRequest } from '../egress.ts';
import { createCertificateAuthority, type Certificate, type CertificateAuthority } from './certificates.ts';
import { closeAfterTest, openTestEgress, type TestEgress } from './test-egress.ts';
import { startHttpsServer, type RequestHandler, type TestServer } from './test-servers.ts';

/** The host name of the receivers. It resolves to 127.0.0.1. */
export const host = 'receiver.test';

export const webhookRequest = (port: number, more: Partial<WebhookRequest> = {}): WebhookRequest => ({
  account: 'acc_a',
  url: `https://${host}:${port}/hook?token=secret`,
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-mine': 'yes' },
  body: Buffer.from('{"status":"DONE"}'),
  timeoutMs: 60_000,
  maxResponseBytes: 1000,
  ...more,
});

/** A timeout that is long enough for a local connection. */
export const shortTimeout = { timeoutMs: 1_000 };

export type WebhookReceivers = {
  /** The authority of the receivers' certificate. Egress trusts it. */
  authority: () => CertificateAuthority;
  /** A folder for files of the tests. */
  folder: () => string;
  startEgress: (options?: Partial<EgressOptions>) => Promise<TestEgress>;
  /** Starts a receiver with a valid certificate; it closes after the test. */
  https: (handle: RequestHandler) => Promise<TestServer>;
};

/** Prepares certificates for the tests of a file. */
export const useWebhookReceivers = (): WebhookReceivers => {
  let authority: CertificateAuthority;
  let certificate: Certificate;
  let folder: string;
  beforeAll(async () => {
    authority = await createCertificateAuthority();
    certificate = await authority.issue(host);
    folder = await mkdtemp(join(tmpdir(), 'egress-'));
    await writeFile(join(folder, 'ca.pem'), authority.cert);
  });
  afterAll(() => rm(folder, { recursive: true }));
  return {
    authority: () => authority,
    folder: () => folder,
    startEgress: (options = {}) => openTestEgress({ allowList: [host], caFile: join(folder, 'ca.pem'), ...options }),
    https: (handle) => closeAfterTest(startHttpsServer(certificate, handle)),
  };
};
