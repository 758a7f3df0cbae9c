import { accountHeader, api, requestAccount } from '../api/client.ts';
import { loadPage, basePath } from '../api/load-page.ts';
import { addressOfAccount } from '../api/session.ts';
import { showError } from '../components/Toast.tsx';

/** Ends the session of this browser. */
export const signOut = async (): Promise<void> => {
  try {
    await api.delete('/api/v1/session');
    await loadPage(`${basePath}/sign-in`);
  } catch (error) {
    showError(error);
  }
};

let choice = new AbortController();

/**
 * Shows another account, on the page at `address` or on the one that is shown then. The last choice counts. An account
 * that cannot be shown is an error, and the page stays.
 */
export const chooseAccount = async (id: string, address?: string): Promise<void> => {
  choice.abort();
  choice = new AbortController();
  const { signal } = choice;
  if (id === requestAccount() && address === undefined) return;
  try {
    await api.get('/api/v1/session', { headers: { [accountHeader]: id }, signal });
    await loadPage(addressOfAccount(id, address ?? window.location.pathname + window.location.search));
  } catch (error) {
    if (!signal.aborted) showError(error);
  }
};
