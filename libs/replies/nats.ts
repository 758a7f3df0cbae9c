import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import { runWithTimeout } from '#libs/concurrency/timeout.ts';
import type { RemoteEngine } from '#libs/engines/remote.ts';
import { openNatsClient } from '#libs/nats/client.ts';
import { encodeReply, decodeReply } from './nats/reply-codec.ts';
import { fetchChunks, serveChunks } from './nats/chunks.ts';
import type { RenderReply, RenderReplies } from './port.ts';
import { openPendingReplies } from './pending-replies.ts';

export type NatsRepliesOptions = {
  /** What all subjects begin with: letters, digits and hyphens. */
  prefix?: string;
};

/** Room for the headers and for what the server adds. */
const headerReserveBytes = 4_096;
const announceTimeoutMs = 2_000;
/** An answer waits so long for a lost connection. */
const connectionTimeoutMs = 5_000;
const flushTimeoutMs = 1_000;
/** So long at most an answer is listened for that nobody waits for any more. */
const unsubscribeDelayMs = 250;

const notConnectedError = (): Error => new Error('NATS is not connected');

/**
 * Answers between processes, as messages over NATS that nothing keeps: one that nobody waits for is gone, and so is one that is lost with a connection.
 * What is larger than the server's messages may be is fetched in parts by whoever waits. It opens at once and connects when it can.
 * @throws Error for a URL that names no server
 */
export const openNatsReplies = (
  url: string,
  { prefix = 'colophon' }: NatsRepliesOptions = {},
): RenderReplies & RemoteEngine & { close(): Promise<void> } => {
  // Whoever waits in this process has the answer before it is sent.
  const link = openNatsClient(url, `${prefix} replies`, { echo: false });
  const here = openPendingReplies();
  const over = new AbortController();
  const awaited = new Map<string, Subscription | null>();
  const giving = new Set<Promise<void>>();
  let listensOn: NatsConnection | null = null;
  const subjectOf = (renderId: string): string => `${prefix}.reply.${renderId}`;

  const take = async (connection: NatsConnection, renderId: string, message: Msg): Promise<void> => {
    message.respond();
    const { reply, chunks } = decodeReply(message.data);
    if (!chunks || reply.status === 'FAILED') return here.send(renderId, reply);
    here.send(renderId, { ...reply, pdf: await fetchChunks(connection, chunks, over.signal) });
  };

  // Nobody waits for these any more: what is left is told to the server together with what is begun.
  const left = new Set<string>();
  const forget = (): void => {
    for (const renderId of left) {
      if (here.has(renderId)) continue;
      awaited.get(renderId)?.unsubscribe();
      awaited.delete(renderId);
    }
    left.clear();
  };
  const listen = (connection: NatsConnection, renderId: string): void => {
    const callback = (error: Error | null, message: Msg): void =>
      void (error ?? take(connection, renderId, message).catch(() => undefined));
    awaited.set(renderId, connection.subscribe(subjectOf(renderId), { callback }));
  };
  // The driver listens again by itself to whatever it listened to before the connection was lost.
  link.onConnected((connection) => {
    if (connection === listensOn) return;
    listensOn = connection;
    forget();
    for (const renderId of awaited.keys()) listen(connection, renderId);
  });

  const leave = (renderId: string): void => {
    if (here.has(renderId)) return;
    if (left.size === 0) setTimeout(forget, unsubscribeDelayMs).unref();
    left.add(renderId);
  };

  const send = async (renderId: string, answer: RenderReply): Promise<void> => {
    const connection =
      link.currentConnection() ??
      (await runWithTimeout(connectionTimeoutMs, () => link.waitForConnection(), { createError: notConnectedError }));
    const subject = subjectOf(renderId);
    const most = connection.info!.max_payload - headerReserveBytes;
    if (answer.status === 'FAILED' || answer.pdf.byteLength < most)
      return connection.publish(subject, encodeReply(answer));
    await serveChunks(connection, answer.pdf, most, (parts) =>
      connection.request(subject, encodeReply(answer, parts), { timeout: announceTimeoutMs }),
    );
  };

  return {
    wait: async (renderId, signal) => {
      const waiting = here.wait(renderId, AbortSignal.any([signal, over.signal]));
      if (here.has(renderId) && !awaited.has(renderId)) {
        forget();
        if (listensOn) listen(listensOn, renderId);
        else awaited.set(renderId, null);
      }
      const answer = await waiting;
      leave(renderId);
      // What still comes is for nobody: whoever sends it shall see that.
      if (answer === null) forget();
      return answer;
    },
    send: (renderId, answer) => {
      here.send(renderId, answer);
      const given: Promise<void> = send(renderId, answer)
        .catch(() => undefined)
        .finally(() => giving.delete(given));
      giving.add(given);
    },
    missing: () => link.missing(),
    close: async () => {
      over.abort();
      await Promise.all(giving);
      await runWithTimeout(flushTimeoutMs, async () => link.currentConnection()?.flush()).catch(() => undefined);
      await link.close();
    },
  };
};
