import { createRootRoute, createRoute, createRouter, redirect, type RouteComponent } from '@tanstack/react-router';
import { lazyComponent } from './api/load-code.ts';
import { basePath } from './api/load-page.ts';
import { Layout } from './layout/Layout.tsx';
import { NotFound, PageError } from './layout/PageError.tsx';
import { Loading } from './components/notices.tsx';

/** All values of the query are texts. */
const parseSearch = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text));
const stringifySearch = (search: Record<string, unknown>): string => {
  const pairs = Object.entries(search).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value as string | number | boolean)]],
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
};

const root = createRootRoute({ notFoundComponent: NotFound });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyComponent(() => import('./pages/sign-in/SignInPage.tsx'), 'SignInPage'),
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: lazyComponent(() => import('./pages/people/InvitationPage.tsx'), 'InvitationPage'),
});

/** Everything that needs a signed-in person. */
const layout = createRoute({
  getParentRoute: () => root,
  id: 'layout',
  component: Layout,
});

const page = <P extends string, M extends Record<string, unknown>>(path: P, load: () => Promise<M>, name: keyof M) =>
  createRoute({ getParentRoute: () => layout, path, component: lazyComponent(load, name) as RouteComponent });

const pages = [
  page('/', () => import('./pages/overview/OverviewPage.tsx'), 'OverviewPage'),
  page('/renders', () => import('./pages/renders/RendersPage.tsx'), 'RendersPage'),
  page('/renders/$renderId', () => import('./pages/renders/RenderPage.tsx'), 'RenderPage'),
  page('/webhooks', () => import('./pages/webhooks/WebhooksPage.tsx'), 'WebhooksPage'),
  page('/webhooks/$jobId', () => import('./pages/webhooks/WebhookPage.tsx'), 'WebhookPage'),
  page('/templates', () => import('./pages/templates/TemplatesPage.tsx'), 'TemplatesPage'),
  page('/templates/new', () => import('./pages/templates/NewTemplatePage.tsx'), 'NewTemplatePage'),
  page('/templates/$templateId', () => import('./pages/templates/TemplatePage.tsx'), 'TemplatePage'),
  page('/playground', () => import('./pages/playground/PlaygroundPage.tsx'), 'PlaygroundPage'),
  page('/keys', () => import('./pages/keys/KeysPage.tsx'), 'KeysPage'),
  page('/keys/$keyId', () => import('./pages/keys/KeyPage.tsx'), 'KeyPage'),
  page('/usage', () => import('./pages/usage/UsagePage.tsx'), 'UsagePage'),
  page('/audit', () => import('./pages/audit/AuditPage.tsx'), 'AuditPage'),
  page('/people', () => import('./pages/people/PeoplePage.tsx'), 'PeoplePage'),
  page('/settings', () => import('./pages/settings/SettingsPage.tsx'), 'SettingsPage'),
  page('/account', () => import('./pages/account/AccountPage.tsx'), 'AccountPage'),
  page('/operator', () => import('./pages/operator/OperatorPage.tsx'), 'OperatorPage'),
  page('/operator/$accountId', () => import('./pages/operator/OperatorAccountPage.tsx'), 'OperatorAccountPage'),
] as const;

/** Every other path, inside the frame. */
const notFound = createRoute({ getParentRoute: () => layout, path: '$', component: NotFound });

const overview = createRoute({
  getParentRoute: () => layout,
  path: '/overview',
  beforeLoad: () => {
    throw redirect({ to: '/' });
  },
});

export const router = createRouter({
  routeTree: root.addChildren([signIn, invitation, layout.addChildren([...pages, overview, notFound])]),
  basepath: basePath,
  parseSearch,
  stringifySearch,
  defaultPendingComponent: Loading,
  defaultPendingMs: 150,
  defaultErrorComponent: PageError,
  defaultNotFoundComponent: NotFound,
  defaultPreload: 'intent',
  scrollRestoration: true,
  // Another thing of the same kind begins anew: its page keeps no state of the one before.
  defaultRemountDeps: ({ params }) => params,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
