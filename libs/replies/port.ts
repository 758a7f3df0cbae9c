import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import type { ApiErrorFields } from '#contracts/http/api-error.ts';
import type { OutputContentType } from '#contracts/http/output.ts';

/**
 * The result of a render, for the process that waits for it. `durationMs` is in milliseconds, `position` that of its
 * last event in the event log. `keptUntil` (ISO 8601) is present if the PDF is kept because the request asks for it.
 * `contentType` is that of images, which are then in `pdf`; absent for a PDF.
 */
export type RenderReply =
  | {
      status: 'DONE';
      pdf: Uint8Array;
      contentType?: OutputContentType;
      thumbnail?: Uint8Array;
      pages: number;
      durationMs: number;
      warnings: RenderWarning[];
      keptUntil?: string;
      position?: number;
    }
  | { status: 'FAILED'; error: ApiErrorFields; position?: number };

/**
 * Sends results of renders to waiting callers. A reply is lost when no caller waits; the event log keeps the result.
 */
export type RenderReplies = {
  /** Resolves with the reply, or with null when `signal` aborts first. Call it before the render can finish. */
  wait(renderId: string, signal: AbortSignal): Promise<RenderReply | null>;
  send(renderId: string, reply: RenderReply): void;
};
