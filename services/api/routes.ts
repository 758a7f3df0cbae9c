import { accountRoutes } from './account/routes.ts';
import { downloadRoutes } from './downloads/routes.ts';
import { healthRoutes } from './health/routes.ts';
import { jobRoutes } from './jobs/routes.ts';
import { renderRoutes } from './renders/routes.ts';
import type { Route } from './server/route.ts';
import { templateReadRoutes } from './templates/read-routes.ts';
import { templateTestRoutes } from './templates/template-test-route.ts';
import { templateChangeRoutes } from './templates/change-routes.ts';
import { createTemplateRoute } from './templates/create-route.ts';
import { usageRoutes } from './usage/routes.ts';

/** All routes of the API. */
export const routes: readonly Route[] = [
  ...renderRoutes,
  ...jobRoutes,
  ...downloadRoutes,
  ...templateReadRoutes,
  createTemplateRoute,
  ...templateChangeRoutes,
  ...templateTestRoutes,
  ...usageRoutes,
  ...accountRoutes,
  ...healthRoutes,
];
