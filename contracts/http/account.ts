import { z } from 'zod';
import { permissions } from '../events/account.ts';
import { limitOverrides, planNames } from '../plans.ts';
import { actor } from '../events/metadata.ts';

const timestamp = z.string().describe('ISO 8601, UTC.');
const count = z.number().int();
const unlimited = 'null if unlimited.';

/** Query of GET /usage. */
export const usageQuery = z.strictObject({
  period: z
    .string()
    .regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month written YYYY-MM, such as 2026-03')
    .optional()
    .describe('A month, YYYY-MM, in UTC. Default: the current month. Future months are not allowed.'),
});

/** 200 of GET /usage. */
export const usageResponse = z.object({
  period: z.string().describe('YYYY-MM, UTC.'),
  quota: z.object({
    limit: count.nullable().describe(unlimited),
    used: count.describe(
      'Accepted renders of live keys in the period, without those that failed through an error of the service.',
    ),
    remaining: count.nullable().describe(unlimited),
  }),
  rate_limit: z.object({
    per_minute: count.nullable().describe(unlimited),
    current_usage: count.describe('Requests of the account in the current minute, including this one.'),
  }),
  template_tests: z.object({
    limit: count.nullable().describe(`Equal to the monthly quota of renders; ${unlimited}`),
    used: count.describe('Template tests with live keys in the period. They do not count toward the quota.'),
  }),
  by_day: z
    .array(z.object({ date: z.string().describe('YYYY-MM-DD, UTC.'), requests: count }))
    .describe('Every day of the period so far, oldest first. The sum of requests is quota.used.'),
});
export type UsageResponse = z.output<typeof usageResponse>;

/** 200 of GET /account. */
export const accountResponse = z.object({
  id: z.string().describe('acc_<id>'),
  name: z.string(),
  plan: z.enum(planNames),
  state: z.enum(['active', 'suspended']),
  opened_at: timestamp,
  limits: z.object({
    requests_per_minute: count.nullable().describe(unlimited),
    requests_per_month: count.nullable().describe(unlimited),
    max_pdf_mb: z.number().nullable().describe(unlimited),
    max_payload_mb: z.number(),
    processing_timeout_seconds: z.number(),
    javascript_timeout_seconds: z.number(),
    max_pages: count.nullable().describe(unlimited),
    max_external_images: count.nullable().describe(unlimited),
    max_templates: count.nullable().describe(unlimited),
    max_template_mb: z.number(),
    max_variables: count.nullable().describe(unlimited),
    kept_versions: count.nullable().describe('null if all versions are kept.'),
  }),
});
export type AccountResponse = z.output<typeof accountResponse>;

/** Query of GET /account/events. */
export const accountEventsQuery = z.strictObject({
  page: z.coerce.number().int().min(1).default(1),
  limit: z.coerce.number().int().min(1).max(100).default(20),
});

/** The fields of each event that the audit history shows: no key, secret or hash. */
export const accountHistoryData = {
  AccountOpened: z.object({ name: z.string(), plan: z.enum(planNames), overrides: limitOverrides }),
  PlanChanged: z.object({ plan: z.enum(planNames), overrides: limitOverrides, reason: z.string().nullable() }),
  AccountSuspended: z.object({ reason: z.string() }),
  AccountReinstated: z.object({ reason: z.string().nullable() }),
  WebhookSecretRotated: z.object({}),
  ApiKeyIssued: z.object({
    name: z.string(),
    keyType: z.enum(['live', 'test']),
    prefix: z.string(),
    permissions: z.array(z.enum(permissions)),
    expiresAt: z.string().nullable(),
  }),
  ApiKeyRevoked: z.object({ reason: z.string().nullable() }),
} as const;

export const accountHistoryEvent = z.object({
  id: z.string(),
  type: z.enum(
    Object.keys(accountHistoryData) as [keyof typeof accountHistoryData, ...(keyof typeof accountHistoryData)[]],
  ),
  subject: z.string().describe('The account or key of the event: acc_<id> or key_<id>.'),
  time: timestamp,
  actor,
  request_id: z.string(),
  trace_id: z.string().nullable(),
  data: z.record(z.string(), z.unknown()),
});

/** 200 of GET /account/events. */
export const accountEventsResponse = z.object({
  account_id: z.string().describe('acc_<id>'),
  events: z.array(accountHistoryEvent).describe('Newest first.'),
  total: count,
  page: count,
  limit: count,
  pages: count,
});
export type AccountEventsResponse = z.output<typeof accountEventsResponse>;
