import { accountRoutes } from './account/routes.ts';
import { accountSettingsRoutes } from './account/settings-routes.ts';
import { ownMembershipRoutes } from './members/accept-routes.ts';
import { invitationRoutes } from './members/invitation-routes.ts';
import { memberRoutes } from './members/member-routes.ts';
import { operatorRoutesOfPeople } from './operator/operator-routes.ts';
import { operatorRoutes } from './operator/routes.ts';
import { liveEventsRoute } from './events/live-route.ts';
import { downloadRoutes } from './downloads/routes.ts';
import { healthRoutes } from './health/routes.ts';
import { jobRoutes } from './jobs/routes.ts';
import { renderRecordPartRoutes } from './renders/record-part-routes.ts';
import { renderRecordRoutes } from './renders/record-routes.ts';
import { repeatRenderRoute } from './renders/repeat-route.ts';
import { verifyRenderRoute } from './renders/verify-route.ts';
import { renderRoutes } from './renders/routes.ts';
import { searchRoutes } from './search/routes.ts';
import type { Route } from './server/route.ts';
import { templatePreviewRoutes } from './templates/preview-routes.ts';
import { statisticsRoutes } from './statistics/routes.ts';
import { oidcRoutes } from './sessions/oidc-routes.ts';
import { passkeyRoutes } from './sessions/passkey-routes.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { templateReadRoutes } from './templates/read-routes.ts';
import { templateTestRoutes } from './templates/template-test-route.ts';
import { eventRoutes } from './events/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import { templateChangeRoutes } from './templates/change-routes.ts';
import { createTemplateRoute } from './templates/create-route.ts';
import { deliveryRoutes } from './webhooks/delivery-routes.ts';
import { webhookSecretRoutes } from './webhooks/secret-routes.ts';
import { testWebhookRoute } from './webhooks/test-route.ts';
import { usageRoutes } from './usage/routes.ts';

/** All routes of the API. */
export const routes: readonly Route[] = [
  ...renderRoutes,
  ...renderRecordRoutes,
  ...renderRecordPartRoutes,
  repeatRenderRoute,
  verifyRenderRoute,
  ...searchRoutes,
  ...jobRoutes,
  ...deliveryRoutes,
  ...webhookSecretRoutes,
  testWebhookRoute,
  ...downloadRoutes,
  ...templatePreviewRoutes,
  ...templateReadRoutes,
  createTemplateRoute,
  ...templateChangeRoutes,
  ...templateTestRoutes,
  ...usageRoutes,
  ...statisticsRoutes,
  liveEventsRoute,
  ...accountRoutes,
  ...keyRoutes,
  ...accountSettingsRoutes,
  ...memberRoutes,
  ...invitationRoutes,
  ...ownMembershipRoutes,
  ...operatorRoutes,
  ...operatorRoutesOfPeople,
  ...sessionRoutes,
  ...passkeyRoutes,
  ...oidcRoutes,
  ...eventRoutes,
  ...healthRoutes,
];
