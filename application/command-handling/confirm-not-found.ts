import { ApiError } from '#contracts/http/api-error.ts';
import { shareRuns } from '#libs/concurrency/shared-runs.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { maxReadModelWaitMs } from './read-your-writes.ts';

type Stores = { store: Pick<EventStore, 'head'>; reads: Pick<ReadStore, 'waitForCheckpoint' | 'servingGenerations'> };

const notUpToDate = (): ApiError =>
  ApiError.of('service_unavailable', 'The service is still updating its data. Try again in a moment.', {
    retry_after: 1,
  });

/**
 * Returns a decorator for reads of these read models. Null from a decorated read means that the document does not exist: a
 * read without a result waits until the read models contain all events up to now, and reads again. After the read models
 * were emptied or restored, every read waits in this way, because a document may lack events such as the revocation of a
 * key. A decorated read throws ApiError service_unavailable if the read models need longer than `maxReadModelWaitMs`: they
 * are being rebuilt, or the projector is behind.
 */
export const createConfirmNotFound = ({ store, reads }: Stores, ...models: string[]) => {
  // Callers can invent ids, so reads without a result share one check at a time.
  const requireUpToDate = shareRuns(async (): Promise<void> => {
    const head = await store.head();
    const reached = await Promise.all(models.map((model) => reads.waitForCheckpoint(model, head, maxReadModelWaitMs)));
    if (reached.includes(false)) throw notUpToDate();
  });
  /** The log position up to which the read models were built at the last read. A lower one later means that they were emptied. */
  let builtTo = 0;
  const requireNotEmptied = shareRuns(async (): Promise<void> => {
    const now = Math.min(...(await reads.servingGenerations(models)).map(({ position }) => position));
    if (now < builtTo) await requireUpToDate();
    builtTo = now;
  });
  return <T>(read: (id: string) => Promise<T | null>) =>
    async (id: string): Promise<T | null> => {
      await requireNotEmptied();
      const found = await read(id);
      if (found !== null) return found;
      await requireUpToDate();
      return read(id);
    };
};

export type ConfirmNotFound = ReturnType<typeof createConfirmNotFound>;
