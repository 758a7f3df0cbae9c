import { unfit } from '../failures.ts';

/** A helper's argument: its value, and the expression it came from as its author wrote it. A literal stands in the template itself. */
export type Argument = { value: unknown; written: string; literal: boolean };

/** What a helper knows of its call. `raw` is true within triple braces, where what it returns reaches the document as it stands. */
export type Call = {
  line: number;
  locale: string;
  timeZone: string;
  raw: boolean;
  /** Counts characters that the helper reads, beyond those that it writes. @throws Problem where the expansion takes too many steps */
  reads: (characters: number) => void;
};

export type ValueHelper = (call: Call, subject: Argument, option: Argument) => unknown;

/** Fails a call because of its subject; the message says what was wrong and what is allowed. */
export const refuse = (call: Call, { written }: Argument, complaint: string): never => {
  throw unfit(written, call.line, complaint);
};

/** Fails a call because of its option. Where that is a literal, the variable named is the one that it was meant for. */
export const refuseOption = (call: Call, subject: Argument, option: Argument, complaint: string): never =>
  refuse(call, option.literal ? subject : option, complaint);

/** A wrong value, short enough and plain enough for a message. */
export const quoted = (value: unknown): string => {
  const text = typeof value === 'object' && value !== null ? (Array.isArray(value) ? 'a list' : 'an object') : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
};
