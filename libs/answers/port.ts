import type { Fault } from '#contracts/http/problem.ts';

/** What became of a render, for whoever waits for it. */
export type Answer =
  | { status: 'DONE'; pdf: Uint8Array; pages: number; durationMs: number }
  | { status: 'FAILED'; fault: Fault };

/** Hands finished renders to those who wait. The log stays the truth: an answer that nobody takes is gone. */
export type Answers = {
  /** Resolves with the answer, or with null when `signal` aborts first. Call it before the render can finish. */
  wait(renderId: string, signal: AbortSignal): Promise<Answer | null>;
  give(renderId: string, answer: Answer): void;
};
