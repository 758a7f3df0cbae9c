import { QueryClient, type QueryKey, replaceEqualDeep } from '@tanstack/react-query';
import { hasExactNumber } from '#contracts/http/exact-numbers.ts';
import { isTemporary } from './api-error.ts';

const maxRetries = 2;

/** The responses that the page has in memory. */
export const queryClient = new QueryClient({
  defaultOptions: {
    // Without a connection an action fails at once. It would be a surprise if it happened later.
    mutations: { networkMode: 'always' },
    queries: {
      // The library would copy an exact number as an object.
      structuralSharing: (old, received) => (hasExactNumber(received) ? received : replaceEqualDeep(old, received)),
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      retry: (failures, error) => failures < maxRetries && isTemporary(error),
    },
  },
});

/** Loads the queries again whose keys begin like this. Resolves when those that are shown are loaded. */
export const reload = (...queryKey: QueryKey): Promise<void> => queryClient.invalidateQueries({ queryKey });
