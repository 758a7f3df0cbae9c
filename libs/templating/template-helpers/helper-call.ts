import { unsuitableValueError } from '../messages.ts';

/** A helper's argument: its value, and the expression that it came from, as written in the template. */
export type Argument = { value: unknown; source: string; isLiteral: boolean };

/** What a helper knows of its call. `raw` is true within triple braces, where no escaping follows. */
export type HelperCall = {
  line: number;
  locale: string;
  timeZone: string;
  raw: boolean;
  /** Counts characters that the helper reads, beyond those that it writes. @throws Problem after too many steps */
  countCharacters: (characters: number) => void;
};

export type HelperFunction = (call: HelperCall, subject: Argument, option: Argument) => unknown;

/** Fails a call because of its subject; the message says what was wrong and what is allowed. */
export const failCall = (call: HelperCall, { source }: Argument, complaint: string): never => {
  throw unsuitableValueError(source, call.line, complaint);
};

/** Fails a call because of its option. Where that is a literal, the variable named is the one that it was meant for. */
export const failCallForOption = (call: HelperCall, subject: Argument, option: Argument, complaint: string): never =>
  failCall(call, option.isLiteral ? subject : option, complaint);
