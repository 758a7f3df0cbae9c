import { ApiError } from '#contracts/http/api-error.ts';
import { shareRuns } from '#libs/concurrency/shared-runs.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

const maxWaitMs = 1_000;

type Stores = { store: Pick<EventStore, 'head'>; reads: Pick<ReadStore, 'waitForCheckpoint'> };

const notUpToDate = (): ApiError =>
  ApiError.of('service_unavailable', 'The service is still updating its data. Try again in a moment.', {
    retry_after: 1,
  });

/**
 * Returns a decorator for reads of these read models. Null from a decorated read means that the document does not exist: a
 * read without a result waits until the read models contain all events up to now, and reads again. It throws ApiError
 * service_unavailable if they need more than a second, because they are being rebuilt or the projector is behind.
 */
export const createConfirmNotFound = ({ store, reads }: Stores, ...models: string[]) => {
  // Callers can invent ids, so reads without a result share one check at a time.
  const requireUpToDate = shareRuns(async (): Promise<void> => {
    const head = await store.head();
    const reached = await Promise.all(models.map((model) => reads.waitForCheckpoint(model, head, maxWaitMs)));
    if (reached.includes(false)) throw notUpToDate();
  });
  return <T>(read: (id: string) => Promise<T | null>) =>
    async (id: string): Promise<T | null> => {
      const found = await read(id);
      if (found !== null) return found;
      await requireUpToDate();
      return read(id);
    };
};

export type ConfirmNotFound = ReturnType<typeof createConfirmNotFound>;
