import { ApiError } from '#contracts/http/api-error.ts';
import { shareRuns } from '#libs/concurrency/shared-runs.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

const maxWaitMs = 1_000;

type Stores = { store: Pick<EventStore, 'head'>; reads: Pick<ReadStore, 'waitForCheckpoint'> };

const notUpToDate = (): ApiError =>
  ApiError.of(
    'service_unavailable',
    'The service is preparing its data and cannot answer yet. Try again in a moment.',
    {
      retry_after: 1,
    },
  );

/**
 * Makes reads of these read models certain: what they do not find does not exist. A read without a result is repeated
 * when the read models contain all events of this moment. It rejects with service_unavailable if they do not after a
 * second, because they are being built again or the projector is behind.
 */
export const createCertainRead = ({ store, reads }: Stores, ...models: string[]) => {
  // Callers can invent ids, so what they do not find costs one check at a time.
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

export type CertainRead = ReturnType<typeof createCertainRead>;
