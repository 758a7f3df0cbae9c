import { useMemo, useEffect } from 'react';
import { keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';

export type CursorPage<Row> = { rows: Row[]; nextCursor: string | null };
export type CursorListOptions<Row> = {
  /** Includes the filters. */
  queryKey: QueryKey;
  fetchPage: (cursor: string | undefined, signal: AbortSignal) => Promise<CursorPage<Row>>;
  enabled?: boolean;
};
/** The state of a list; spread it into DataTable. */
export type CursorList<Row> = {
  rows: Row[];
  isLoading: boolean;
  error: Error | null;
  onRetry: () => void;
  hasMore: boolean;
  isLoadingMore: boolean;
  onLoadMore: () => void;
};

/** Loads a list page by page with cursors. */
export const useCursorList = <Row>({ queryKey, fetchPage, enabled }: CursorListOptions<Row>): CursorList<Row> => {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => fetchPage(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
    ...(enabled === undefined ? {} : { enabled }),
  });
  const pages = query.data?.pages;
  // The same array until a page changes, since there may be many thousands of rows.
  const rows = useMemo(() => pages?.flatMap((page) => page.rows) ?? [], [pages]);
  return {
    rows,
    isLoading: query.isPending,
    error: query.error,
    onRetry: () => void query.refetch(),
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    onLoadMore: () => {
      if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage();
    },
  };
};

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
