/** What an account has used in one window. `through` is the position of the last event that is counted in it. */
export type Count = { used: number; through: number };

/**
 * Finds what is kept for an account and window, or makes it. Of each account the windows used last are kept:
 * a clock that is set back, or a late answer for the month before, must not cost the present window its count.
 */
export const openCounts = <T>(make: (accountId: string, window: string) => T, windowsKept = 3) => {
  const accounts = new Map<string, Map<string, T>>();

  const find = (accountId: string, window: string): T => {
    const windows = accounts.get(accountId) ?? new Map<string, T>();
    accounts.set(accountId, windows);
    const found = windows.get(window) ?? make(accountId, window);
    windows.delete(window);
    windows.set(window, found);
    const [leastRecent] = windows.keys();
    if (windows.size > windowsKept && leastRecent !== undefined) windows.delete(leastRecent);
    return found;
  };
  const known = (accountId: string, window: string): T | undefined => accounts.get(accountId)?.get(window);
  const forget = (accountId: string, window: string): void => void accounts.get(accountId)?.delete(window);

  return { find, known, forget };
};
