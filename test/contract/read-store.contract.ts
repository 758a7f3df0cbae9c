import type { Collection, ReadStore } from '#libs/read-store/port.ts';
import { describeContract, type Opened } from './harness.ts';
import { applying } from './read-store/applying.ts';
import { finding } from './read-store/finding.ts';
import { collections } from './read-store/people.ts';

/** `another` opens the same storage once more, as a second process would. */
export type OpenedReadStore = Opened<ReadStore> & { another?: () => Promise<ReadStore> };

/** What every engine of the read store does. `open` gives an empty store with the collections asked for. */
export const describeReadStoreContract = (name: string, open: (collections: readonly Collection[]) => Promise<OpenedReadStore>): void => {
  describeContract(`${name} as a read store`, () => open(collections), { ...applying, ...finding });
};
