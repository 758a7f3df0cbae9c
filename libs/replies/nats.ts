import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import { runWithTimeout } from '#libs/concurrency/timeout.ts';
import type { RemoteEngine } from '#libs/engines/remote.ts';
import { openNatsClient } from '#libs/nats/client.ts';
import { decodeReply, encodeReply, filesOf } from './nats/reply-codec.ts';
import { fetchChunks, serveChunks } from './nats/chunks.ts';
import type { RenderReply, RenderReplies } from './port.ts';
import { openPendingReplies } from './pending-replies.ts';

export type NatsRepliesOptions = {
  /** The start of all subjects: letters, digits and hyphens. */
  prefix?: string;
};

/** Bytes of a message that are left for the header and for what the server adds. */
const headerReserveBytes = 4_096;
const announceTimeoutMs = 2_000;
/** How long a reply waits for a lost connection. */
const connectionTimeoutMs = 5_000;
const flushTimeoutMs = 1_000;
/** Subscriptions without a waiter are removed after this delay, together. */
const unsubscribeDelayMs = 250;

const notConnectedError = (): Error => new Error('NATS is not connected');

/**
 * Replies between processes, as NATS messages that are not stored. A reply is lost when no caller waits, or when a
 * connection is lost. The waiting process fetches a PDF that is too large for one message in chunks. Opens at once and
 * connects in the background.
 * @throws AddressError for a URL that names no server
 */
export const openNatsReplies = (
  url: string,
  { prefix = 'colophon' }: NatsRepliesOptions = {},
): RenderReplies & RemoteEngine & { close(): Promise<void> } => {
  // No echo: callers in this process get the reply without NATS.
  const client = openNatsClient(url, `${prefix} replies`, { echo: false });
  const pending = openPendingReplies();
  const closing = new AbortController();
  const subscriptions = new Map<string, Subscription | null>();
  const sending = new Set<Promise<void>>();
  let subscribedOn: NatsConnection | null = null;
  const subjectOf = (renderId: string): string => `${prefix}.reply.${renderId}`;

  const receive = async (connection: NatsConnection, renderId: string, message: Msg): Promise<void> => {
    message.respond();
    const { chunks, replyWith } = decodeReply(message.data);
    pending.send(renderId, replyWith(chunks ? await fetchChunks(connection, chunks, closing.signal) : undefined));
  };

  // Unsubscribing is delayed, so that the driver sends it together with the next subscriptions.
  const unneeded = new Set<string>();
  const unsubscribeUnneeded = (): void => {
    for (const renderId of unneeded) {
      if (pending.has(renderId)) continue;
      subscriptions.get(renderId)?.unsubscribe();
      subscriptions.delete(renderId);
    }
    unneeded.clear();
  };
  const subscribe = (connection: NatsConnection, renderId: string): void => {
    const callback = (error: Error | null, message: Msg): void =>
      void (error ?? receive(connection, renderId, message).catch(() => undefined));
    subscriptions.set(renderId, connection.subscribe(subjectOf(renderId), { callback }));
  };
  // After a reconnect on the same connection object the driver subscribes again by itself.
  client.onConnected((connection) => {
    if (connection === subscribedOn) return;
    subscribedOn = connection;
    unsubscribeUnneeded();
    for (const renderId of subscriptions.keys()) subscribe(connection, renderId);
  });

  const unsubscribeLater = (renderId: string): void => {
    if (pending.has(renderId)) return;
    if (unneeded.size === 0) setTimeout(unsubscribeUnneeded, unsubscribeDelayMs).unref();
    unneeded.add(renderId);
  };

  const send = async (renderId: string, reply: RenderReply): Promise<void> => {
    const connection =
      client.currentConnection() ??
      (await runWithTimeout(connectionTimeoutMs, () => client.waitForConnection(), { createError: notConnectedError }));
    const subject = subjectOf(renderId);
    const maxBytes = connection.info!.max_payload - headerReserveBytes;
    if (reply.status === 'FAILED') return connection.publish(subject, encodeReply(reply));
    // With the warnings, which can be larger than the reserve.
    const files = filesOf(reply);
    const message = files.byteLength < maxBytes ? encodeReply(reply) : null;
    if (message !== null && message.byteLength < maxBytes) return connection.publish(subject, message);
    await serveChunks(connection, files, maxBytes, (chunks) =>
      connection.request(subject, encodeReply(reply, chunks), { timeout: announceTimeoutMs }),
    );
  };

  return {
    wait: async (renderId, signal) => {
      const waiting = pending.wait(renderId, AbortSignal.any([signal, closing.signal]));
      if (pending.has(renderId) && !subscriptions.has(renderId)) {
        unsubscribeUnneeded();
        if (subscribedOn) subscribe(subscribedOn, renderId);
        else subscriptions.set(renderId, null);
      }
      const reply = await waiting;
      unsubscribeLater(renderId);
      // At once, so that the sender of a late reply sees that no caller waits.
      if (reply === null) unsubscribeUnneeded();
      return reply;
    },
    send: (renderId, reply) => {
      pending.send(renderId, reply);
      const sent: Promise<void> = send(renderId, reply)
        .catch(() => undefined)
        .finally(() => sending.delete(sent));
      sending.add(sent);
    },
    missing: () => client.missing(),
    close: async () => {
      closing.abort();
      await Promise.all(sending);
      await runWithTimeout(flushTimeoutMs, async () => client.currentConnection()?.flush()).catch(() => undefined);
      await client.close();
    },
  };
};
