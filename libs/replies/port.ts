import type { ApiErrorFields } from '#contracts/http/api-error.ts';

/** The result of a render, for the process that waits for it. `durationMs` is in milliseconds. */
export type RenderReply =
  { status: 'DONE'; pdf: Uint8Array; pages: number; durationMs: number } | { status: 'FAILED'; error: ApiErrorFields };

/** Sends results of renders to waiting callers. A reply is lost when no caller waits; the event log keeps the result. */
export type RenderReplies = {
  /** Resolves with the reply, or with null when `signal` aborts first. Call it before the render can finish. */
  wait(renderId: string, signal: AbortSignal): Promise<RenderReply | null>;
  send(renderId: string, reply: RenderReply): void;
};
