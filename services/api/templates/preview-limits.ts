import { ApiError } from '#contracts/http/api-error.ts';
import { openFairQueue } from '#libs/concurrency/fair-queue.ts';
import { openRunningCounts } from '../server/concurrency-limit.ts';

/**
 * Whose preview it is. A newer preview of the same editor replaces an older one; null replaces none. `maxWaitMs` is how long
 * it may wait for its turn: as long as a preview of the account may work, so that two that are slow do not refuse the next.
 */
export type PreviewOwner = { accountId: string; editor: string | null; maxWaitMs: number };

export type PreviewLimiter = {
  /** @throws ApiError preview_replaced, concurrency_limit_exceeded, service_unavailable, and what the preview throws */
  run<T>(owner: PreviewOwner, preview: () => Promise<T>): Promise<T>;
};

/** How many previews an account may have in a process: running and waiting ones. */
export const maxAccountPreviews = 8;
/** Few, so that renders find room. Previews that take long mostly wait and do not count as quick ones. */
const permits = { maxQuick: 4, maxTotal: 16, slowAfterMs: 500, maxPerGroup: 2 };

const previewReplaced = (): ApiError =>
  ApiError.of('preview_replaced', 'A newer preview of the same editor has replaced this one.');

const waitedTooLong = (): ApiError =>
  ApiError.of('service_unavailable', 'The service has too many template previews at the moment. Try again.', {
    retry_after: 2,
  });

/**
 * Limits the previews of a process: two of an account run at once, accounts take turns, and the rest of an account
 * waits. A replaced preview that has started goes on and keeps its permit, but its caller no longer waits.
 */
export const createPreviewLimiter = (): PreviewLimiter => {
  const queue = openFairQueue(permits);
  const { requireRoom, change } = openRunningCounts({ name: 'template previews', max: maxAccountPreviews });
  const latest = new Map<string, () => void>();
  return {
    run: async ({ accountId, editor, maxWaitMs }, preview) => {
      const key = editor === null ? null : `${accountId} ${editor}`;
      if (key !== null) latest.get(key)?.();
      requireRoom(accountId);
      const replaced = Promise.withResolvers<never>();
      let status: 'waiting' | 'started' | 'replaced' = 'waiting';
      const replace = (): void => {
        // One that waits will never start, so it makes room for the one that replaces it.
        if (status === 'waiting') {
          status = 'replaced';
          change(accountId, -1);
        }
        replaced.reject(previewReplaced());
      };
      if (key !== null) latest.set(key, replace);
      change(accountId, 1);
      const start = async () => {
        if (status === 'replaced') throw previewReplaced();
        status = 'started';
        return preview();
      };
      const ended = queue.add(accountId, start, { timeoutMs: maxWaitMs, createError: waitedTooLong }).finally(() => {
        if (status !== 'replaced') change(accountId, -1);
        if (key !== null && latest.get(key) === replace) latest.delete(key);
      });
      return Promise.race([ended, replaced.promise]);
    },
  };
};
