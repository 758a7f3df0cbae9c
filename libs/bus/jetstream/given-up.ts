import type { NatsConnection } from '@nats-io/transport-node';
import type { Envelope } from './delivery.ts';
import type { Lane } from './lane.ts';

/** A message that was given out as often as it may be and never done. */
export type GivenUp = { id: string; stream: string; group: string; attempts: number };

type Advisory = { stream_seq: number; deliveries: number };

/**
 * Takes off what the server gives out no more, once among all processes, and tells of it. Left in the stream it would keep its id from ever being a message
 * again, for whoever puts lost work back.
 */
export const clearGivenUp = (connection: NatsConnection, lane: Lane, told: (message: GivenUp) => void): void => {
  const { stream } = lane.names;
  const clear = async ({ stream_seq: sequence, deliveries }: Advisory): Promise<void> => {
    const body = await lane.drop(sequence);
    if (!body) return;
    const { id, group } = JSON.parse(Buffer.from(body).toString()) as Envelope;
    told({ id, stream, group, attempts: deliveries });
  };
  connection.subscribe(`$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.${stream}.*`, {
    queue: stream,
    callback: (error, message) => void (error ?? clear(message.json<Advisory>()).catch(() => undefined)),
  });
};
