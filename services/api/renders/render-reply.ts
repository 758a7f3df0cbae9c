import type { RenderReply } from '#contracts/events/render.ts';
import { Problem } from '#contracts/http/problem.ts';
import type { ConvertRequest, TemplateRequest } from '#contracts/http/render.ts';
import { type ClearTarget, sealTarget, type TargetParts } from '#application/deliveries/target.ts';

type Webhook = Pick<ConvertRequest | TemplateRequest, 'webhook_url' | 'webhook_method' | 'webhook_headers'>;

/** How the caller wants the PDF; the estimate comes later. */
export type Wish = { kind: 'wait' } | { kind: 'poll' } | ({ kind: 'webhook' } & ClearTarget);

/** `always` is true where the path asks for an asynchronous render whatever the body says. @throws Problem invalid_request */
export const wishOf = ({ webhook_url: url, webhook_method: method, webhook_headers: headers }: Webhook, always: boolean): Wish => {
  if (url !== undefined) return { kind: 'webhook', url, method: method ?? 'POST', headers: headers ?? {} };
  const stray = method !== undefined ? 'webhook_method' : headers !== undefined ? 'webhook_headers' : null;
  if (stray) throw Problem.of('invalid_request', `${stray} says how to call back, and there is no webhook_url to call.`, { field: stray });
  return always ? { kind: 'poll' } : { kind: 'wait' };
};

/** The wish as it goes into the log, its secrets sealed, with what the caller is told of the time it takes, in milliseconds. `id` is the bare id of the render. */
export const replyOf = async (parts: TargetParts, id: string, wish: Wish, estimatedMs: number): Promise<RenderReply> => {
  if (wish.kind === 'wait') return wish;
  const rounded = Math.round(estimatedMs);
  return wish.kind === 'poll' ? { ...wish, estimatedMs: rounded } : { kind: wish.kind, estimatedMs: rounded, ...(await sealTarget(parts, id, wish)) };
};
