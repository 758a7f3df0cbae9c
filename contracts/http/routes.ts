import { accountRoutes } from './routes/account.ts';
import { healthRoutes } from './routes/health.ts';
import { jobRoutes } from './routes/jobs.ts';
import { renderRoutes } from './routes/render.ts';
import type { Route } from './routes/route.ts';
import { templateRoutes } from './routes/templates.ts';

/** Everything that the API can do. What is not in here is not in its reference either. */
export const routes: Route[] = [...renderRoutes, ...jobRoutes, ...templateRoutes, ...accountRoutes, ...healthRoutes];
