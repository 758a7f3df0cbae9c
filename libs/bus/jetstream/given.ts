import type { Msg } from '@nats-io/transport-node';

/** A message as the server gives it out. */
export type Given = {
  body: Uint8Array;
  /** Where its end is told. */
  reply: string;
  attempt: number;
  /** How many of its group wait behind it. */
  behind: number;
  /** When it was asked for, in milliseconds of a clock that is never set: it was given out no sooner. */
  askedAt: number;
};

/** How the server writes a delivery into the address for its end: `$JS.ACK.[<domain>.<account>.]<stream>.<consumer>.<attempt>.<sequence>.<sequence of delivery>.<time>.<waiting>[.<random>]`. */
const firstOf = (tokens: readonly string[]): number => (tokens.length === 9 ? 4 : 6);

/** Null for the server's word that there is none. */
export const givenOf = (message: Msg, askedAt: number): Given | null => {
  if (!message.reply?.startsWith('$JS.ACK.')) return null;
  const tokens = message.reply.split('.');
  const first = firstOf(tokens);
  return { body: message.data, reply: message.reply, attempt: Number(tokens[first]), behind: Number(tokens[first + 4]), askedAt };
};
