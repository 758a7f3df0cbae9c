import type { Collection } from '#libs/read-store/port.ts';
import { describeContract } from './harness.ts';
import { marking } from './marking.ts';
import { converging } from './read-store/converging.ts';
import { finding } from './read-store/finding.ts';
import type { OpenedReadStore } from './read-store/opened.ts';
import { collections } from './read-store/people.ts';
import { rebuilding } from './read-store/rebuilding.ts';
import { writing } from './read-store/writing.ts';

/** What every engine of the read store does. `open` gives an empty store with the collections asked for. */
export const describeReadStoreContract = (name: string, open: (collections: readonly Collection[]) => Promise<OpenedReadStore>): void => {
  describeContract(`${name} as a read store`, () => open(collections), { ...writing, ...converging, ...finding, ...rebuilding, ...marking });
};
