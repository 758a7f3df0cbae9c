import { UnsuitableValue } from '../data-problems.ts';
import type { Labels } from '../labels.ts';

/** A helper's argument: its value, and its source in the template. */
export type Argument = { value: unknown; source: string; isLiteral: boolean };

/** The context of a helper call. `raw` is true within triple braces, where the result is not escaped. */
export type HelperCall = {
  line: number;
  locale: string;
  timeZone: string;
  labels: Labels;
  /** The values of the named arguments. */
  named: Readonly<Record<string, unknown>>;
  raw: boolean;
  /** Counts characters that the helper reads, beyond those that it returns. @throws ApiError after too many steps */
  countCharacters: (characters: number) => void;
};

export type HelperFunction = (call: HelperCall, subject: Argument, option: Argument) => unknown;

/** Fails a call because of its subject. The message says what is wrong and what is allowed. @throws UnsuitableValue */
export const failCall = (call: HelperCall, { source }: Argument, reason: string): never => {
  throw new UnsuitableValue(source, call.line, reason);
};

/** Fails a call because of its option. If that is a literal, the error names the subject's variable instead. */
export const failCallForOption = (call: HelperCall, subject: Argument, option: Argument, reason: string): never =>
  failCall(call, option.isLiteral ? subject : option, reason);
