import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import { withTimeout } from '#libs/concurrency/timeout.ts';
import type { Remote } from '#libs/engines/remote.ts';
import { openNatsLink } from '#libs/nats/link.ts';
import { packed, unpacked } from './nats/envelope.ts';
import { fetchParts, offerParts } from './nats/parts.ts';
import type { Answer, Answers } from './port.ts';
import { openWaitingRoom } from './waiting-room.ts';

export type NatsAnswersOptions = {
  /** What all subjects begin with: letters, digits and hyphens. */
  prefix?: string;
};

/** Room for the headers and for what the server adds. */
const marginBytes = 4_096;
const announcedMs = 2_000;
/** An answer waits so long for a lost connection. */
const patienceMs = 5_000;
const flushMs = 1_000;
/** So long at most an answer is listened for that nobody waits for any more. */
const leftMs = 250;

const late = (): Error => new Error('NATS is not connected');

/**
 * Answers between processes, as messages over NATS that nothing keeps: one that nobody waits for is gone, and so is one that is lost with a connection.
 * What is larger than the server's messages may be is fetched in parts by whoever waits. It opens at once and connects when it can.
 * @throws Error for a URL that names no server
 */
export const openNatsAnswers = (url: string, { prefix = 'colophon' }: NatsAnswersOptions = {}): Answers & Remote & { close(): Promise<void> } => {
  // Whoever waits in this process has the answer before it is sent.
  const link = openNatsLink(url, `${prefix} answers`, { echo: false });
  const here = openWaitingRoom();
  const over = new AbortController();
  const awaited = new Map<string, Subscription | null>();
  const giving = new Set<Promise<void>>();
  let listensOn: NatsConnection | null = null;
  const subjectOf = (renderId: string): string => `${prefix}.answer.${renderId}`;

  const take = async (connection: NatsConnection, renderId: string, message: Msg): Promise<void> => {
    message.respond();
    const { answer, parts } = unpacked(message.data);
    if (!parts || answer.status === 'FAILED') return here.give(renderId, answer);
    here.give(renderId, { ...answer, pdf: await fetchParts(connection, parts, over.signal) });
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
    const callback = (error: Error | null, message: Msg): void => void (error ?? take(connection, renderId, message).catch(() => undefined));
    awaited.set(renderId, connection.subscribe(subjectOf(renderId), { callback }));
  };
  // The driver listens again by itself to whatever it listened to before the connection was lost.
  link.onUp((connection) => {
    if (connection === listensOn) return;
    listensOn = connection;
    forget();
    for (const renderId of awaited.keys()) listen(connection, renderId);
  });

  const leave = (renderId: string): void => {
    if (here.has(renderId)) return;
    if (left.size === 0) setTimeout(forget, leftMs).unref();
    left.add(renderId);
  };

  const send = async (renderId: string, answer: Answer): Promise<void> => {
    const connection = link.now() ?? (await withTimeout(patienceMs, () => link.connected(), { error: late }));
    const subject = subjectOf(renderId);
    const most = connection.info!.max_payload - marginBytes;
    if (answer.status === 'FAILED' || answer.pdf.byteLength < most) return connection.publish(subject, packed(answer));
    await offerParts(connection, answer.pdf, most, (parts) => connection.request(subject, packed(answer, parts), { timeout: announcedMs }));
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
    give: (renderId, answer) => {
      here.give(renderId, answer);
      const given: Promise<void> = send(renderId, answer).catch(() => undefined).finally(() => giving.delete(given));
      giving.add(given);
    },
    missing: () => link.missing(),
    close: async () => {
      over.abort();
      await Promise.all(giving);
      await withTimeout(flushMs, async () => link.now()?.flush()).catch(() => undefined);
      await link.close();
    },
  };
};
