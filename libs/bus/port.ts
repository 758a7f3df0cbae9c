/**
 * Work to be done: `id` de-duplicates, `subject` says what kind, `data` is JSON. Urgent messages of a subject go first, though
 * never so that the others starve; within each of both kinds the groups take turns, and a group's messages come in order.
 */
export type Message = { id: string; subject: string; data: unknown; urgent?: boolean; group?: string };

/**
 * The de-duplication window: within this time after its publication the same id is no second message.
 * Once a message has been done for as long, the same id is a message again.
 */
export const deduplicationMs = 120_000;

/** No lease and no delay is longer, in milliseconds: after the end of a process or a machine nothing is waited for longer than this. */
export const longestWaitMs = 60_000;

/**
 * A message in a consumer's hands, leased for a while: end it by exactly one of `ack`, `nak`; what is called after that does nothing.
 * A message whose lease runs out is given to somebody again, and then the calls of the one who lost it do nothing either.
 */
export type Delivery = Omit<Message, 'urgent' | 'group'> & {
  /** Empty where the message was published without one. */
  group: string;
  /** How often the message was given out, this time included. */
  attempt: number;
  /** It is done and will not come again. */
  ack(): Promise<void>;
  /** It comes again after `delayMs`, whatever is done to the machine's clock meanwhile. */
  nak(delayMs: number): Promise<void>;
  /** The work goes on: the lease starts anew. */
  working(): Promise<void>;
};

export type Consumer = { name: string; subject: string; leaseMs: number };

export type Waiting = { urgent: number; ordinary: number };

export type Bus = {
  /** Resolves when the bus has the message. The same id again within the de-duplication window is no second message. */
  publish(message: Message): Promise<void>;
  /** The next message, as soon as there is one; null when `signal` has aborted or the bus is closed. At least once, each message to one caller at a time. */
  next(consumer: Consumer, signal: AbortSignal): Promise<Delivery | null>;
  /** As `next`, of any group but these, if there is a message now; null where there is none. */
  nextBeside(consumer: Consumer, groups: ReadonlySet<string>): Promise<Delivery | null>;
  /** How many messages wait or are in hands. */
  pending(consumer: Consumer, only?: 'urgent'): Promise<number>;
  /** How many messages of one group wait and were never given out. */
  waiting(consumer: Consumer, group: string): Promise<Waiting>;
  /** The installation that the storage belongs to; null while it belongs to none. */
  mark(): Promise<string | null>;
  /** Lets storage without a mark belong to an installation; answers with the mark that it has then, which may be another one. Durable when it resolves. */
  setMark(installation: string): Promise<string>;
  close(): Promise<void>;
};
