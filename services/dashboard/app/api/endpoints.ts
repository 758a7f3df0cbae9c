import type { z } from 'zod';
import type {
  accountResponse,
  usageQuery,
  usageResponse,
  AccountSettingsResponse,
  accountSettingsRequest,
} from '#contracts/http/account.ts';
import type { eventListResponse, eventResponse, listEventsQuery } from '#contracts/http/events.ts';
import type {
  createdKeyResponse,
  createKeyRequest,
  keyListResponse,
  keyResponse,
  listKeysQuery,
  readKeyQuery,
  revokeKeyQuery,
} from '#contracts/http/keys.ts';
import type { redeliverJobRequest, redeliverJobResponse, RenderQueuedResponse } from '#contracts/http/jobs.ts';
import type { renderDoneResponse } from '#contracts/http/render.ts';
import type {
  RenderDetailResponse,
  RenderDiagnosticsResponse,
  VerificationResponse,
  verifyRenderRequest,
} from '#contracts/http/render-detail.ts';
import type { searchQuery, searchResponse } from '#contracts/http/search.ts';
import type {
  listRendersQuery,
  renderHistoryResponse,
  renderListResponse,
  repeatRenderRequest,
} from '#contracts/http/renders.ts';
import type {
  breakdownQuery,
  breakdownResponse,
  statisticsQuery,
  statisticsResponse,
} from '#contracts/http/statistics.ts';
import type { exampleTemplate } from '#contracts/http/template-previews.ts';
import type {
  createTemplateRequest,
  restoreTemplateRequest,
  templateHistoryQuery,
  updateTemplateRequest,
  validateTemplateRequest,
} from '#contracts/http/templates.ts';
import type {
  createTemplateResponse,
  updateTemplateResponse,
  templateListResponse,
  templateResponse,
  templateVersionResponse,
  templateVersionsResponse,
  validateTemplateResponse,
} from '#contracts/http/template-responses.ts';
import type {
  deliveryListResponse,
  DeliveryResponse,
  listDeliveriesQuery,
  redeliverDeliveriesRequest,
  RedeliverDeliveriesResponse,
  testWebhookRequest,
  TestWebhookResponse,
} from '#contracts/http/deliveries.ts';
import type { WebhookSecretResponse } from '#contracts/http/webhook.ts';
import type { PeopleEndpoints, Query } from './people-endpoints.ts';

type Page = { page?: number; limit?: number };

/**
 * Every endpoint that the dashboard uses: one row each, with types from the contracts. `query` are the values behind
 * the question mark. For a response that is not JSON see `requestBlob`.
 */
export type Endpoints = PeopleEndpoints & {
  'GET /api/v1/renders': { query: Query<typeof listRendersQuery>; response: z.output<typeof renderListResponse> };
  'GET /api/v1/renders/{render_id}': {
    query: { diagnostics?: 'true' };
    response: RenderDetailResponse;
  };
  'GET /api/v1/renders/{render_id}/diagnostics': {
    query: { rerender?: 'true' };
    response: RenderDiagnosticsResponse;
  };
  'POST /api/v1/renders/{render_id}/verify': {
    body: z.input<typeof verifyRenderRequest>;
    response: VerificationResponse;
  };
  'GET /api/v1/search': { query: Query<typeof searchQuery>; response: z.output<typeof searchResponse> };
  'GET /api/v1/renders/{render_id}/events': { response: z.output<typeof renderHistoryResponse> };
  'POST /api/v1/renders/{render_id}/repeat': {
    body: z.input<typeof repeatRenderRequest>;
    response: z.output<typeof renderDoneResponse> | RenderQueuedResponse;
  };

  'POST /api/v1/jobs/{job_id}/redeliver': {
    body: z.input<typeof redeliverJobRequest>;
    response: z.output<typeof redeliverJobResponse>;
  };

  'GET /api/v1/deliveries': {
    query: Query<typeof listDeliveriesQuery>;
    response: z.output<typeof deliveryListResponse>;
  };
  'GET /api/v1/deliveries/{job_id}': { response: DeliveryResponse };
  'POST /api/v1/deliveries/redeliver': {
    body: z.input<typeof redeliverDeliveriesRequest>;
    response: RedeliverDeliveriesResponse;
  };
  'GET /api/v1/webhook-secret': { response: WebhookSecretResponse };
  'POST /api/v1/webhook-secret/rotate': { response: WebhookSecretResponse };
  'POST /api/v1/webhooks/test': { body: z.input<typeof testWebhookRequest>; response: TestWebhookResponse };

  'GET /api/v1/templates': {
    query: Page & { category?: string; statistics?: 'true' };
    response: z.output<typeof templateListResponse>;
  };
  'POST /api/v1/templates': {
    body: z.input<typeof createTemplateRequest>;
    response: z.output<typeof createTemplateResponse>;
  };
  'PUT /api/v1/templates/{template_id}': {
    body: z.input<typeof updateTemplateRequest>;
    response: z.output<typeof updateTemplateResponse>;
  };
  'DELETE /api/v1/templates/{template_id}': { response: void };
  'POST /api/v1/templates/{template_id}/restore': {
    body: z.input<typeof restoreTemplateRequest>;
    response: z.output<typeof updateTemplateResponse>;
  };
  'GET /api/v1/templates/examples': { response: { examples: z.output<typeof exampleTemplate>[] } };
  'GET /api/v1/templates/{template_id}': { response: z.output<typeof templateResponse> };
  'GET /api/v1/templates/{template_id}/versions': {
    query: Query<typeof templateHistoryQuery>;
    response: z.output<typeof templateVersionsResponse>;
  };
  'GET /api/v1/templates/{template_id}/versions/{version}': { response: z.output<typeof templateVersionResponse> };
  'POST /api/v1/templates/validate': {
    body: z.input<typeof validateTemplateRequest>;
    response: z.output<typeof validateTemplateResponse>;
  };

  'GET /api/v1/keys': { query: Query<typeof listKeysQuery>; response: z.output<typeof keyListResponse> };
  'GET /api/v1/keys/{id}': { query: Query<typeof readKeyQuery>; response: z.output<typeof keyResponse> };
  'POST /api/v1/keys': { body: z.input<typeof createKeyRequest>; response: z.output<typeof createdKeyResponse> };
  'DELETE /api/v1/keys/{id}': { query: Query<typeof revokeKeyQuery>; response: z.output<typeof keyResponse> };

  'GET /api/v1/events': { query: Query<typeof listEventsQuery>; response: z.output<typeof eventListResponse> };
  'GET /api/v1/events/{id}': { response: z.output<typeof eventResponse> };

  'GET /api/v1/usage': { query: Query<typeof usageQuery>; response: z.output<typeof usageResponse> };
  'GET /api/v1/statistics': { query: Query<typeof statisticsQuery>; response: z.output<typeof statisticsResponse> };
  'GET /api/v1/usage/breakdown': { query: Query<typeof breakdownQuery>; response: z.output<typeof breakdownResponse> };
  'GET /api/v1/account': { response: z.output<typeof accountResponse> };

  'GET /api/v1/account/settings': { response: AccountSettingsResponse };
  'PUT /api/v1/account/settings': { body: z.input<typeof accountSettingsRequest>; response: AccountSettingsResponse };
};
