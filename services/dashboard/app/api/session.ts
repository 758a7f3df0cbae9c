import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { Permission } from '#contracts/events/account.ts';
import type { SessionResponse } from '#contracts/http/session.ts';
import { ApiError } from './api-error.ts';
import { api, requestAccount, setRequestAccount } from './client.ts';

export type SessionAccount = NonNullable<SessionResponse['account']>;

const storageKey = 'colophon.account';

/** Keeps the account that the person chose last in this browser. Its id is not a secret. */
export const storeAccount = (id: string): void => localStorage.setItem(storageKey, id);

export const forgetAccount = (): void => localStorage.removeItem(storageKey);

/** The person who is signed in, and the account that was chosen last; the first one if that is not possible any more. */
export const fetchSession = async (signal?: AbortSignal): Promise<SessionResponse> => {
  if (requestAccount() === null) setRequestAccount(localStorage.getItem(storageKey));
  try {
    return await api.get('/api/v1/session', { signal });
  } catch (error) {
    if (!(error instanceof ApiError) || error.error !== 'account_not_found') throw error;
    forgetAccount();
    setRequestAccount(null);
    return api.get('/api/v1/session', { signal });
  }
};

/** The person who is signed in. Fails with status 401 if there is none. */
export const useSession = (): UseQueryResult<SessionResponse, ApiError> =>
  useQuery({
    queryKey: ['session'],
    queryFn: async ({ signal }) => {
      const session = await fetchSession(signal);
      setRequestAccount(session.account?.id ?? null);
      return session;
    },
    staleTime: 60_000,
    retry: false,
  });

/** The account that the pages show; undefined while it is loading, and for a person without an account. */
export const useAccount = (): SessionAccount | undefined => useSession().data?.account ?? undefined;

/** Whether the role of the person has a permission. Hide or disable what it does not allow. */
export const usePermission = (permission: Permission): boolean =>
  useAccount()?.permissions.includes(permission) ?? false;
