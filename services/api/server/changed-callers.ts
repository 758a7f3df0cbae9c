import { cacheMs, waitForCacheExpiry } from '#libs/concurrency/read-cache.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * Resolves when all processes use a changed account, key or member from the next request on. `position` is that of the
 * last event of the change, `models` are the read models that show it. @throws ApiError service_unavailable if these do
 * not show it within `maxReadModelWaitMs`
 */
export const waitUntilCallersSee = async (
  { readYourWrites }: Pick<Dependencies, 'readYourWrites'>,
  accountId: string,
  position: number,
  ...models: string[]
): Promise<void> => {
  readYourWrites.recordWrite(accountId, position, ...models);
  await readYourWrites.waitForWrites(accountId, ...models);
  await waitForCacheExpiry(cacheMs);
};
