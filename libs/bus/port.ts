/** Work to be done: `id` de-duplicates, `subject` says what kind, `data` is JSON. Urgent and ordinary messages of a subject are in two queues. */
export type Message = { id: string; subject: string; data: unknown; urgent?: boolean };

/** The de-duplication window: the same id within this time after its publication is no second message, and neither is one whose message still waits or is leased. */
export const deduplicationWindowMs = 120_000;

/** No lease and no delay is longer, in milliseconds. */
export const maxLeaseOrDelayMs = 60_000;

/**
 * A leased message: end it by exactly one of `ack`, `nak`; what is called after that does nothing.
 * A message whose lease runs out is delivered to another worker, and then calls on the lost delivery do nothing either.
 */
export type LeasedMessage = Omit<Message, 'urgent'> & {
  /** How often the message was delivered, this time included. */
  deliveryCount: number;
  /** It is done and will not come again. */
  ack(): Promise<void>;
  /** It comes again after `delayMs`, whatever is done to the machine's clock meanwhile. */
  nak(delayMs: number): Promise<void>;
  /** The work goes on: the lease starts anew. */
  extendLease(): Promise<void>;
};

/** One of the two queues of a subject, and how long a message is leased. All processes that consume a queue use the same name. */
export type Consumer = { name: string; subject: string; urgent: boolean; leaseMs: number };

export type Bus = {
  /** Resolves when the bus has the message. */
  publish(message: Message): Promise<void>;
  /** The next message of the queue, as soon as there is one; null when `signal` has aborted or the bus is closed. At least once, each message to one caller at a time. */
  next(consumer: Consumer, signal: AbortSignal): Promise<LeasedMessage | null>;
  /** How many messages of the queue wait or are leased. */
  pending(queue: Pick<Consumer, 'subject' | 'urgent'>): Promise<number>;
  close(): Promise<void>;
};

/** A bus on a server. */
export type DurableBus = Bus & {
  /** The installation that the storage belongs to; null while it belongs to none. */
  installationId(): Promise<string | null>;
  /** Lets storage without a mark belong to an installation; answers with the mark that it has then, which may be another one. Durable when it resolves. */
  setInstallationId(installation: string): Promise<string>;
};

/** Whether messages are stored: a queue in memory belongs to its process. */
export const isDurableBus = (bus: Bus): bus is DurableBus => 'installationId' in bus;
