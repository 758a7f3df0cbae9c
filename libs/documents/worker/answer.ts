import { type Fault, Problem } from '#contracts/http/problem.ts';

/** What a worker answers: a Problem's class does not survive the way between processes, its fault does. */
export type Answer<T> = { value: T } | { fault: Fault };

export const isFault = <T>(answer: Answer<T>): answer is { fault: Fault } => 'fault' in answer;

/** Runs a task and turns what it raises into an answer. What is no Problem and no exhausted stack stays an error. */
export const answering = async <T>(task: () => T | Promise<T>): Promise<Answer<T>> => {
  try {
    return { value: await task() };
  } catch (error) {
    if (error instanceof Problem) return { fault: error.fault };
    if (error instanceof RangeError) return { fault: exhausted(error).fault };
    throw error;
  }
};

const exhausted = (error: RangeError) =>
  /string length|array length|allocation/i.test(error.message)
    ? Problem.of('conversion_failed', 'The document grows too large while it is converted. Split it into smaller ones.', { details: 'too large' })
    : Problem.of('conversion_failed', 'The document is nested too deeply to be converted.', { details: 'nested too deeply' });

/** A result whose `html` is left out where it is the very text that came in: the other side has that already. */
export type Echo<T extends { html: string }> = Omit<T, 'html'> & { html: string | null };

const byteOrderMark = Buffer.from('\ufeff');

const hasMark = (data: Uint8Array): boolean => byteOrderMark.every((byte, index) => data[index] === byte);

/**
 * Leaves the text out if `data` is that text in UTF-8, with or without a byte order mark. Text decoded from base64 is
 * always shorter than that.
 */
export const withoutEcho = <T extends { html: string }>(result: T, data: Uint8Array): Echo<T> =>
  Buffer.byteLength(result.html) === data.byteLength - (hasMark(data) ? byteOrderMark.length : 0) && isUnchanged(result.html, data) ? { ...result, html: null } : result;

/** Puts it back. */
export const withEcho = <T extends { html: string }>(result: Echo<T>, data: Uint8Array): T => ({ ...result, html: result.html ?? textOf(data) }) as T;

const textOf = (data: Uint8Array): string => Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8', hasMark(data) ? byteOrderMark.length : 0);

// Two texts of one length may differ all the same: a converted document can happen to be as long as its source.
const isUnchanged = (html: string, data: Uint8Array): boolean => html === textOf(data);
