import { api } from '../api/client.ts';
import { showError } from '../components/Toast.tsx';

/** Ends the session of this browser. */
export const signOut = async (): Promise<void> => {
  try {
    await api.delete('/api/v1/session');
    // Loads the page anew, so that nothing of this person stays in memory: answers, drafts of templates, messages.
    window.location.assign('/dashboard/sign-in');
  } catch (error) {
    showError(error);
  }
};
