import { accountRoutes } from './account/reference.ts';
import { healthRoutes } from './health/reference.ts';
import { jobRoutes } from './jobs/reference.ts';
import { renderRoutes } from './renders/reference.ts';
import type { Route } from './server/route.ts';
import { templateRoutes } from './templates/reference.ts';

/** Everything that the API can do. What is not in here is not in its reference either. */
export const routes: Route[] = [...renderRoutes, ...jobRoutes, ...templateRoutes, ...accountRoutes, ...healthRoutes];
