import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { Permission } from '#contracts/events/account.ts';
import type { SessionResponse } from '#contracts/http/session.ts';
import { ApiError } from './api-error.ts';
import { accountHeader, api, requestAccount, setRequestAccount } from './client.ts';
import { strings } from '../strings/strings.ts';
import { basePath, loadPage } from './load-page.ts';

export type SessionAccount = NonNullable<SessionResponse['account']>;

const storageKey = 'colophon.account';
const parameter = 'account';

/** The address of a page that shows this account. */
export const addressOfAccount = (id: string, address: string = basePath): string => {
  const url = new URL(address, window.location.origin);
  url.searchParams.set(parameter, id);
  return url.pathname + url.search;
};

/**
 * Keeps the account that the address names as the one that the person chose last in this browser. Its id is not a
 * secret. The page before could not keep it: the person may have declined to leave it.
 */
const storeAccountOfAddress = (): void => {
  const url = new URL(window.location.href);
  const id = url.searchParams.get(parameter);
  if (id === null) return;
  // No header takes every text.
  if (/^\w+$/.test(id)) localStorage.setItem(storageKey, id);
  url.searchParams.delete(parameter);
  window.history.replaceState(window.history.state, '', url);
};
storeAccountOfAddress();

/** Forgets the choice of this account. Another tab may have stored another one since. */
const forgetAccount = (id: string): void => {
  if (localStorage.getItem(storageKey) === id) localStorage.removeItem(storageKey);
};

/** The person whose data the page has in memory. */
let personId: string | null = null;

/** The session, in the account that the page shows, else the one that was chosen last, else the person's first one. */
const fetchSession = async (signal?: AbortSignal): Promise<SessionResponse> => {
  const shown = requestAccount();
  const id = shown ?? localStorage.getItem(storageKey);
  const session = await api
    .get('/api/v1/session', { signal, headers: id === null ? {} : { [accountHeader]: id } })
    .catch((error: unknown) => {
      if (id === null || !(error instanceof ApiError) || error.error !== 'account_not_found') throw error;
      forgetAccount(id);
      // The page shows data of an account that the person is no longer a member of.
      return shown === null ? api.get('/api/v1/session', { signal }) : loadPage();
    });
  if (personId !== null && personId !== session.person.id) return loadPage();
  personId = session.person.id;
  setRequestAccount(session.account?.id ?? null);
  return session;
};

/** The person who is signed in. Fails with status 401 if there is none. */
export const useSession = (): UseQueryResult<SessionResponse, ApiError> =>
  useQuery({
    queryKey: ['session'],
    queryFn: ({ signal }) => fetchSession(signal),
    staleTime: 60_000,
    retry: false,
  });

/** The account that the pages show; undefined while it is loading, and for a person without an account. */
export const useAccount = (): SessionAccount | undefined => useSession().data?.account ?? undefined;

/** Whether the role of the person has a permission. Hide or disable what it does not allow. */
export const usePermission = (permission: Permission): boolean =>
  useAccount()?.permissions.includes(permission) ?? false;

/** Why the role of the person does not allow something, for the `disabledReason` of a button; null if it does. */
export const useDenialReason = (permission: Permission): string | null =>
  usePermission(permission) ? null : strings.common.lacksPermission(permission);
