import type { RenderReply, RenderReplies } from './port.ts';

type Waiter = (answer: RenderReply | null) => void;

/** Those who wait in this process. `has` says whether anybody does. */
export type PendingReplies = RenderReplies & { has(renderId: string): boolean };

export const openPendingReplies = (): PendingReplies => {
  const waiting = new Map<string, Set<Waiter>>();

  const leave = (renderId: string, waiter: Waiter): void => {
    const others = waiting.get(renderId);
    others?.delete(waiter);
    if (others?.size === 0) waiting.delete(renderId);
  };

  return {
    wait: (renderId, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(null);
        const settle: Waiter = (answer) => {
          leave(renderId, settle);
          signal.removeEventListener('abort', giveUp);
          resolve(answer);
        };
        const giveUp = (): void => settle(null);
        signal.addEventListener('abort', giveUp);
        waiting.set(renderId, (waiting.get(renderId) ?? new Set()).add(settle));
      }),
    has: (renderId) => waiting.has(renderId),
    send: (renderId, answer) => [...(waiting.get(renderId) ?? [])].forEach((settle) => settle(answer)),
  };
};
