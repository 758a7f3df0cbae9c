import { api } from '../api/client.ts';
import { basePath, loadPage } from '../api/load-page.ts';
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
