import type { Collection } from '#libs/read-store/port.ts';
import { describeContract } from '../support/contract/describe-contract.ts';
import { installationIdCases } from './installation-id.ts';
import { convergingCases } from './read-store/converging.ts';
import { queryingCases } from './read-store/querying.ts';
import type { ReadStoreUnderTest } from '../support/contract/read-store-under-test.ts';
import { collections } from '../support/contract/read-store-documents.ts';
import { rebuildingCases } from './read-store/rebuilding.ts';
import { writingCases } from './read-store/writing.ts';

/** The contract of the read store. `open` returns an empty store with the given collections. */
export const describeReadStoreContract = (
  name: string,
  open: (collections: readonly Collection[]) => Promise<ReadStoreUnderTest>,
): void => {
  describeContract(`${name} as a read store`, () => open(collections), {
    ...writingCases,
    ...convergingCases,
    ...queryingCases,
    ...rebuildingCases,
    ...installationIdCases,
  });
};
