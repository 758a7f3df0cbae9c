import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type Authority, makeAuthority } from '#libs/egress/fixtures/certificates.ts';
import { type Handle, httpsServer, type Listening } from '#libs/egress/fixtures/listening.ts';
import type { Environment } from './process.ts';

export type Received = { method: string; path: string; headers: IncomingHttpHeaders; bytes: Buffer; body: Record<string, unknown> };
export type Receiver = Listening & {
  url: string;
  received: Received[];
  /** What has come for one job. */
  of(jobId: unknown): Received[];
};

/** Answers a callback: with a status, or in its own way. */
export type Answering = (received: Received, nth: number) => number | Handle;

/** Receivers on this machine that a service with these `settings` can call, and trusts. */
export const openReceivers = async () => {
  const authority: Authority = await makeAuthority();
  const certificate = await authority.issue('127.0.0.1');
  const folder = await mkdtemp(join(tmpdir(), 'colophon-receivers-'));
  const caFile = join(folder, 'ca.pem');
  await writeFile(caFile, authority.cert);
  const opened: Listening[] = [];

  const receiver = async (answering: Answering = () => 200): Promise<Receiver> => {
    const received: Received[] = [];
    const server = await httpsServer(certificate, async (request, response) => {
      const bytes = await buffer(request);
      const one: Received = { method: request.method!, path: request.url!, headers: request.headers, bytes, body: JSON.parse(bytes.toString()) as Record<string, unknown> };
      const nth = received.filter(({ body }) => body.job_id === one.body.job_id).length;
      received.push(one);
      const answer = answering(one, nth);
      if (typeof answer === 'number') response.writeHead(answer).end('seen');
      else answer(request, response);
    });
    opened.push(server);
    return { ...server, url: `https://127.0.0.1:${server.port}/hook`, received, of: (jobId) => received.filter(({ body }) => body.job_id === jobId) };
  };

  return {
    authority,
    settings: { COLOPHON_EGRESS_ALLOW: '127.0.0.1', COLOPHON_EGRESS_CA_FILE: caFile } satisfies Environment as Environment,
    receiver,
    /** Closed with the others. */
    keep: <T extends Listening>(server: T): T => {
      opened.push(server);
      return server;
    },
    close: async () => {
      await Promise.all(opened.map((server) => server.close()));
      await rm(folder, { recursive: true, force: true });
    },
  };
};
export type Receivers = Awaited<ReturnType<typeof openReceivers>>;
