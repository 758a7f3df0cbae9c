import type { RenderReply, RenderReplies } from './port.ts';

type Waiter = (reply: RenderReply | null) => void;

/** The callers in this process that wait for replies. `has` says whether a caller waits for the render. */
export type PendingReplies = RenderReplies & { has(renderId: string): boolean };

export const openPendingReplies = (): PendingReplies => {
  const waiters = new Map<string, Set<Waiter>>();

  const remove = (renderId: string, waiter: Waiter): void => {
    const others = waiters.get(renderId);
    others?.delete(waiter);
    if (others?.size === 0) waiters.delete(renderId);
  };

  return {
    wait: (renderId, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(null);
        const settle: Waiter = (reply) => {
          remove(renderId, settle);
          signal.removeEventListener('abort', onAbort);
          resolve(reply);
        };
        const onAbort = (): void => settle(null);
        signal.addEventListener('abort', onAbort);
        waiters.set(renderId, (waiters.get(renderId) ?? new Set()).add(settle));
      }),
    has: (renderId) => waiters.has(renderId),
    send: (renderId, reply) => [...(waiters.get(renderId) ?? [])].forEach((settle) => settle(reply)),
  };
};
