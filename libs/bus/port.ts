/** `id` de-duplicates, `subject` names the kind of work, `data` is JSON. Each subject has an urgent and an ordinary queue. */
export type Message = { id: string; subject: string; data: unknown; urgent?: boolean };

/**
 * The de-duplication window in milliseconds. A message with the same id is dropped within this time after its
 * publication, and as long as the first message waits or is leased.
 */
export const deduplicationWindowMs = 120_000;

/** The longest lease and the longest delay, in milliseconds. */
export const maxLeaseOrDelayMs = 60_000;

/**
 * A leased message. End it by exactly one `ack` or `nak`; later calls do nothing. When the lease expires, the message
 * is delivered again, and calls on this object do nothing.
 */
export type LeasedMessage = Omit<Message, 'urgent'> & {
  /** How many times the message was delivered, including this time. */
  deliveryCount: number;
  /** Ends the message. */
  ack(): Promise<void>;
  /** The message is delivered again after `delayMs`, even when the machine's clock is changed in the meantime. */
  nak(delayMs: number): Promise<void>;
  /** Restarts the lease, for work that takes long. */
  extendLease(): Promise<void>;
};

/** One of the two queues of a subject, and the lease of its messages. All processes use the same name for a queue. */
export type Consumer = { name: string; subject: string; urgent: boolean; leaseMs: number };

export type Bus = {
  /** Resolves when the bus has stored the message. A bus that is unavailable tries until `signal` aborts, then it rejects. */
  publish(message: Message, signal?: AbortSignal): Promise<void>;
  /**
   * Waits for the next message of the queue. Null when `signal` has aborted or the bus is closed. Each message is
   * delivered at least once, and to one caller at a time.
   */
  next(consumer: Consumer, signal: AbortSignal): Promise<LeasedMessage | null>;
  /** The number of messages of the queue that wait or are leased. */
  pending(queue: Pick<Consumer, 'subject' | 'urgent'>): Promise<number>;
  close(): Promise<void>;
};

/** A bus on a server. */
export type DurableBus = Bus & {
  /** The installation that the storage belongs to; null when it belongs to none. */
  installationId(): Promise<string | null>;
  /**
   * Sets the installation id where the storage has none. Returns the id that the storage then has, which may be
   * another one. Durable when it resolves.
   */
  setInstallationId(installation: string): Promise<string>;
};

/** Whether messages are stored on a server. A queue in memory belongs to its process. */
export const isDurableBus = (bus: Bus): bus is DurableBus => 'installationId' in bus;
