import { unfit } from '../messages.ts';

/** A helper's argument: its value, and the expression that it came from, as written in the template. */
export type Argument = { value: unknown; written: string; literal: boolean };

/** What a helper knows of its call. `raw` is true within triple braces, where no escaping follows. */
export type Call = {
  line: number;
  locale: string;
  timeZone: string;
  raw: boolean;
  /** Counts characters that the helper reads, beyond those that it writes. @throws Problem after too many steps */
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
