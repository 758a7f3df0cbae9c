import { useMemo } from 'react';
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
