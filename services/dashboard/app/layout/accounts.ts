import type { SessionResponse } from '#contracts/http/session.ts';
import { api, requestAccount, setRequestAccount } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { storeAccount } from '../api/session.ts';

/** The account of the last choice, while its session is awaited. */
let awaitedAccount: string | null = null;

const fetchSessionIn = (id: string): Promise<SessionResponse> =>
  api.get('/api/v1/session', { headers: { 'x-colophon-account': id } });

/**
 * Shows another account: everything that is loaded is loaded again. Until its session has come, all requests are for the
 * account that is shown. The last choice counts. Returns whether the shown account has changed. @throws ApiError
 */
export const chooseAccount = async (id: string): Promise<boolean> => {
  if (id === (awaitedAccount ?? requestAccount())) {
    storeAccount(id);
    return false;
  }
  awaitedAccount = id;
  try {
    const session = await fetchSessionIn(id);
    // The session of the account that was shown may be on its way.
    await queryClient.cancelQueries({ queryKey: ['session'] });
    if (awaitedAccount !== id) return false;
    setRequestAccount(id);
    storeAccount(id);
    queryClient.setQueryData(['session'], session);
  } finally {
    if (awaitedAccount === id) awaitedAccount = null;
  }
  // Does not wait for the requests: each part of the page shows its own errors.
  void queryClient.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
  return true;
};
