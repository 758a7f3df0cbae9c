import { accountRoutes, type AccountDependencies } from './account/routes.ts';
import { type DownloadDependencies, downloadRoutes } from './downloads/routes.ts';
import { type HealthDependencies, healthRoutes } from './health/routes.ts';
import { type JobDependencies, jobRoutes } from './jobs/routes.ts';
import { type RenderDependencies, renderRoutes } from './renders/routes.ts';
import type { Route } from './server/route.ts';
import { type TemplateReadDependencies, templateReadRoutes } from './templates/read-routes.ts';
import { templateTestRoutes, type TrialDependencies } from './templates/test-route.ts';
import { type TemplateWriteDependencies, templateWriteRoutes } from './templates/write-routes.ts';
import { type UsageDependencies, usageRoutes } from './usage/routes.ts';

/** What all handlers together depend on. */
export type RouteDependencies = RenderDependencies & JobDependencies & DownloadDependencies & TemplateReadDependencies &
  TemplateWriteDependencies & TrialDependencies & AccountDependencies & UsageDependencies & HealthDependencies;

/** Everything that the API can do. */
export const routes: readonly Route<RouteDependencies>[] = [
  ...renderRoutes, ...jobRoutes, ...downloadRoutes, ...templateReadRoutes, ...templateWriteRoutes, ...templateTestRoutes,
  ...usageRoutes, ...accountRoutes, ...healthRoutes,
];
