import { QueryClient, type QueryKey } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';

const maxRetries = 2;
const isTemporary = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status === 502 || error.status === 503);

/** The responses that the page has in memory. */
export const queryClient = new QueryClient({
  defaultOptions: {
    // Without a connection an action fails at once. It would be a surprise if it happened later.
    mutations: { networkMode: 'always' },
    queries: {
      // The library's way to compare answers takes an exact number for an object and copies it.
      structuralSharing: (old, received) => (JSON.stringify(old) === JSON.stringify(received) ? old : received),
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      retry: (failures, error) => failures < maxRetries && isTemporary(error),
    },
  },
});

/** Loads the queries again whose keys begin like this. Resolves when those that are shown are loaded. */
export const reload = (...queryKey: QueryKey): Promise<void> => queryClient.invalidateQueries({ queryKey });
