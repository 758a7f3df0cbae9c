import type { Query, ReadStore } from './port.ts';

/** Documents that no index selects are read in batches, and at most this number for one page. */
const scanLimits = { batchSize: 250, maxScanned: 2_000 };

type Scan = {
  where: Query['where'];
  /** The ids of the range: from `from`, included, to `before`, which is also the last id of the page before. */
  from?: string | undefined;
  before?: string | undefined;
  limit: number;
  batchSize?: number;
};

/**
 * A page of the documents that match, the highest id first. `next` is the id after which the next page begins; null on
 * the last page. At most 2,000 documents are read, so a page can have fewer than `limit` although `next` is not null.
 */
export const scanPage = async <D extends { id: string }>(
  reads: Pick<ReadStore, 'find'>,
  collection: string,
  { where, from, before, limit, batchSize = scanLimits.batchSize }: Scan,
  matches: (document: D) => boolean,
): Promise<{ documents: D[]; next: string | null }> => {
  const documents: D[] = [];
  const sort = { by: 'id', descending: true };
  let last = before;
  for (let scanned = 0; scanned < scanLimits.maxScanned; scanned += batchSize) {
    const range = { by: 'id', from, before: last };
    const batch = (await reads.find(collection, { where, range, sort, limit: batchSize })) as D[];
    documents.push(...batch.filter(matches));
    if (documents.length > limit) return { documents: documents.slice(0, limit), next: documents[limit - 1]!.id };
    if (batch.length < batchSize) return { documents, next: null };
    last = batch.at(-1)!.id;
  }
  return { documents, next: last! };
};
