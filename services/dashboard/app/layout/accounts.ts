import type { SessionResponse } from '#contracts/http/session.ts';
import { requestAccount, setRequestAccount } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { fetchSession, storeAccount } from '../api/session.ts';

/** Not the account of the last request: the answer to an earlier choice may still be awaited. */
const shownAccount = (): string | null => queryClient.getQueryData<SessionResponse>(['session'])?.account?.id ?? null;

/**
 * Shows another account: everything that is loaded is loaded again. The last choice counts. Returns whether the shown
 * account has changed. @throws ApiError
 */
export const chooseAccount = async (id: string): Promise<boolean> => {
  if (id === requestAccount()) {
    storeAccount(id);
    return false;
  }
  setRequestAccount(id);
  try {
    const session = await fetchSession();
    if (requestAccount() !== id) return false;
    storeAccount(id);
    queryClient.setQueryData(['session'], session);
  } catch (error) {
    if (requestAccount() === id) setRequestAccount(shownAccount());
    throw error;
  }
  // Does not wait for the requests: each part of the page shows its own errors.
  void queryClient.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
  return true;
};
