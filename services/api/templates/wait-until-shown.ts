import { readModels } from '#contracts/names.ts';
import type { Dependencies } from '../server/dependencies.ts';

const templateReadModels = [readModels.templates, readModels.templateVersions];

/**
 * Waits for the read models, so that other processes show the write, also those that cache templates. The write is valid
 * even if the wait times out.
 */
export const waitUntilShown = async (
  { readYourWrites }: Dependencies,
  accountId: string,
  position: number,
  kind: 'new' | 'known',
): Promise<void> => {
  readYourWrites.recordWrite(accountId, position, ...templateReadModels);
  const shown =
    kind === 'new'
      ? readYourWrites.waitForWrites(accountId, ...templateReadModels)
      : readYourWrites.waitForWritesEverywhere(accountId, ...templateReadModels);
  await shown.catch(() => undefined);
};
