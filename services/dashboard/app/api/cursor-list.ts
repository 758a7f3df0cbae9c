import { useMemo, useEffect } from 'react';
import { keepPreviousData, type QueryKey, useInfiniteQuery, useQuery } from '@tanstack/react-query';

export type CursorPage<Row> = { rows: Row[]; nextCursor: string | null };
type Page<Name extends string, Row> = Record<Name, Row[]> & { next_cursor: string | null };
/** The state of a list; spread it into DataTable. */
type List<Row> = { rows: Row[]; isLoading: boolean; error: Error | null; onRetry: () => void };
type CursorList<Row> = List<Row> & { hasMore: boolean; isLoadingMore: boolean; onLoadMore: () => void };

/** Loads a list that the service gives as a whole. */
export const useList = <Row>(queryKey: QueryKey, fetchRows: (signal: AbortSignal) => Promise<Row[]>): List<Row> => {
  const { data, isPending, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => fetchRows(signal),
    placeholderData: keepPreviousData,
  });
  return { rows: data ?? [], isLoading: isPending, error, onRetry: () => void refetch() };
};

/** Loads a list page by page with cursors. `name` is the field of a response that has the rows. */
export const useCursorList = <Name extends string, Row>(
  queryKey: QueryKey,
  name: Name,
  fetchPage: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Name, Row>>,
): CursorList<Row> => {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam, signal }): Promise<CursorPage<Row>> => {
      const { [name]: rows, next_cursor: nextCursor } = await fetchPage(pageParam, signal);
      return { rows, nextCursor };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
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

/**
 * The rows of all pages; truncated after `maxPages`. `fetchPage` returns what it needs for the next page, or null after
 * the last one.
 */
export const loadAllPages = async <Row, Next>(
  maxPages: number,
  fetchPage: (next: Next | undefined) => Promise<{ rows: readonly Row[]; next: Next | null }>,
): Promise<{ rows: Row[]; isTruncated: boolean }> => {
  const rows: Row[] = [];
  let next: Next | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const loaded = await fetchPage(next);
    rows.push(...loaded.rows);
    if (loaded.next === null) return { rows, isTruncated: false };
    next = loaded.next;
  }
  return { rows, isTruncated: true };
};

/** Loads page after page while `isNeeded`, for filters that the service does not have. */
export const useAllPages = (isNeeded: boolean, canLoad: boolean, load: () => void): void => {
  useEffect(() => {
    if (isNeeded && canLoad) load();
  }, [isNeeded, canLoad, load]);
};
