import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider as LinkProvider } from 'react-aria-components';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setErrorHandler } from './api/client.ts';
import { basePath } from './api/load-page.ts';
import { queryClient, reload } from './api/queries.ts';
import { Toasts } from './components/Toast.tsx';
import { router } from './router.tsx';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/data.css';
import './styles/overlays.css';
import './styles/layout.css';
import './styles/administration.css';
import './styles/forced-colors.css';

/** Leads to the page for signing in, which leads back to the present page. */
const goToSignIn = (): void => {
  const { pathname, search } = window.location;
  if (pathname.endsWith('/sign-in')) return;
  queryClient.clear();
  void router.navigate({ to: '/sign-in', search: { next: pathname + search } as never });
};

setErrorHandler(({ status, error }) => {
  if (status === 401) goToSignIn();
  // The person may be no longer a member. The failed request may be that of the session: to start it again would never
  // end.
  if (error === 'account_not_found')
    void queryClient.invalidateQueries({ queryKey: ['session'] }, { cancelRefetch: false });
  // The session says since when and why.
  if (error === 'account_suspended') void reload('session');
});

// A page that the browser kept in memory would show data of a person who has signed out, or of an account that was left.
window.addEventListener('pageshow', ({ persisted }) => persisted && window.location.reload());

/** Paths of the service that are not pages of the dashboard. */
const otherPaths = /^\/(?:docs|api|openapi\.json|health|metrics|dashboard)(?:[/?#]|$)/;
const addressOf = (href: string): string =>
  href.startsWith('/') && !otherPaths.test(href) ? basePath + (href === '/' ? '' : href) : href;

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <LinkProvider navigate={(href) => router.history.push(addressOf(href))} useHref={addressOf}>
        <RouterProvider router={router} />
        <Toasts />
      </LinkProvider>
    </QueryClientProvider>
  </StrictMode>,
);
