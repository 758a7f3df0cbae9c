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
