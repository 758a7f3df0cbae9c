import { queryClient } from '../api/query-client.ts';
import { router } from '../router.tsx';

/** Leads to the page for signing in, which leads back to the present page. */
export const goToSignIn = (): void => {
  const { pathname, search } = window.location;
  if (pathname.endsWith('/sign-in')) return;
  queryClient.clear();
  void router.navigate({ to: '/sign-in', search: { next: pathname + search } as never });
};
