import { useEffect } from 'react';

/** An account has at most so many pages of templates and keys with names that matter. */
const maxPages = 10;

/** The rows of all pages. `fetchPage` returns what it needs for the next page, or null after the last one. */
export const loadAllPages = async <Row, Next>(
  fetchPage: (next: Next | undefined) => Promise<{ rows: readonly Row[]; next: Next | null }>,
): Promise<Row[]> => {
  const all: Row[] = [];
  let next: Next | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const loaded = await fetchPage(next);
    all.push(...loaded.rows);
    if (loaded.next === null) break;
    next = loaded.next;
  }
  return all;
};

/** Loads page after page while `isNeeded`, for filters that the service does not have. */
export const useAllPages = (isNeeded: boolean, canLoad: boolean, load: () => void): void => {
  useEffect(() => {
    if (isNeeded && canLoad) load();
  }, [isNeeded, canLoad, load]);
};
