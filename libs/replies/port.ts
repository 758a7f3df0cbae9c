import type { ApiErrorFields } from '#contracts/http/api-error.ts';

/** What became of a render, for whoever waits for it. */
export type RenderReply =
  { status: 'DONE'; pdf: Uint8Array; pages: number; durationMs: number } | { status: 'FAILED'; error: ApiErrorFields };

/** Hands finished renders to those who wait. The log stays the truth: an answer that nobody takes is gone. */
export type RenderReplies = {
  /** Resolves with the answer, or with null when `signal` aborts first. Call it before the render can finish. */
  wait(renderId: string, signal: AbortSignal): Promise<RenderReply | null>;
  send(renderId: string, answer: RenderReply): void;
};
