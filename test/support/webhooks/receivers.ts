import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type CertificateAuthority, createCertificateAuthority } from '#libs/egress/testing/certificates.ts';
import { type RequestHandler, startHttpsServer, type TestServer } from '#libs/egress/testing/test-servers.ts';
import type { EnvironmentVariables } from '../service/colophon-process.ts';

export type ReceivedWebhook = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  body: Record<string, unknown>;
};
export type WebhookReceiver = TestServer & {
  url: string;
  received: ReceivedWebhook[];
  /** The webhooks of one job. */
  forJob(jobId: unknown): ReceivedWebhook[];
};

/** Returns the status of the response, or handles the request itself. */
type WebhookHandler = (received: ReceivedWebhook, nth: number) => number | RequestHandler;

/** Local receivers that a service with these `settings` can call and trusts. */
export const openWebhookReceivers = async () => {
  const authority: CertificateAuthority = await createCertificateAuthority();
  const certificate = await authority.issue('127.0.0.1');
  const folder = await mkdtemp(join(tmpdir(), 'colophon-receivers-'));
  const caFile = join(folder, 'ca.pem');
  await writeFile(caFile, authority.cert);
  const opened: TestServer[] = [];

  const openReceiver = async (handle: WebhookHandler = () => 200): Promise<WebhookReceiver> => {
    const received: ReceivedWebhook[] = [];
    const server = await startHttpsServer(certificate, async (request, response) => {
      const bytes = await buffer(request);
      const webhook: ReceivedWebhook = {
        method: request.method!,
        path: request.url!,
        headers: request.headers,
        bytes,
        body: JSON.parse(bytes.toString()) as Record<string, unknown>,
      };
      const nth = received.filter(({ body }) => body.job_id === webhook.body.job_id).length;
      received.push(webhook);
      const result = handle(webhook, nth);
      if (typeof result === 'number') response.writeHead(result).end('seen');
      else result(request, response);
    });
    opened.push(server);
    return {
      ...server,
      url: `https://127.0.0.1:${server.port}/hook`,
      received,
      forJob: (jobId) => received.filter(({ body }) => body.job_id === jobId),
    };
  };

  return {
    authority,
    settings: {
      COLOPHON_EGRESS_ALLOW: '127.0.0.1',
      COLOPHON_EGRESS_CA_FILE: caFile,
    } satisfies EnvironmentVariables as EnvironmentVariables,
    openReceiver,
    /** Closed with the others. */
    closeWithReceivers: <T extends TestServer>(server: T): T => {
      opened.push(server);
      return server;
    },
    close: async () => {
      await Promise.all(opened.map((server) => server.close()));
      await rm(folder, { recursive: true, force: true });
    },
  };
};
export type WebhookReceivers = Awaited<ReturnType<typeof openWebhookReceivers>>;
