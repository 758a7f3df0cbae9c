import { z } from 'zod';
import { localeOptionFields } from './locale.ts';
import { oneLine } from './one-line.ts';
import { planNames } from '../plans.ts';
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

const accountNameLength = 200;
export const accountName = oneLine(z.string().trim().min(1).max(accountNameLength));

const { locale, time_zone: timeZone } = localeOptionFields;

/** Body of PUT /account/settings. */
export const accountSettingsRequest = z.strictObject({
  name: accountName.optional().describe('The name of the account.'),
  locale: locale
    .nullable()
    .describe(
      'The language tag for templates that neither the request nor `default_options` names, and for converted ' +
        'documents whose language the service cannot tell. null: `en` for templates.',
    ),
  time_zone: timeZone
    .nullable()
    .describe(
      'The IANA time zone of renders for which neither the request nor `default_options` names one. null: UTC.',
    ),
  pdf_retention_minutes: z
    .number()
    .int()
    .nullable()
    .optional()
    .describe('How long a kept PDF can be downloaded, in minutes. null: the default. The range is in `pdf_retention`.'),
});
export type AccountSettingsRequest = z.output<typeof accountSettingsRequest>;

/** 200 of GET and PUT /account/settings. */
export const accountSettingsResponse = z.object({
  name: z.string(),
  locale: z.string().nullable().describe('null: `en` for templates, the language of the text for converted documents.'),
  time_zone: z.string().nullable().describe('null: UTC.'),
  pdf_retention_minutes: count.nullable().describe('null: the default in `pdf_retention`.'),
  pdf_retention: z
    .object({
      applied_minutes: count.describe('How long the PDF of a render that is accepted now is kept.'),
      default_minutes: count,
      min_minutes: count,
      max_minutes: count.describe('Set by the operator of the service.'),
    })
    .describe('In minutes.'),
  egress: z
    .object({
      setting: z.string().describe('The name of the setting of the service.'),
      allowed: z.array(z.string()).describe('Hosts and address ranges.'),
      has_own_authorities: z
        .boolean()
        .describe('Whether the service also trusts certificate authorities of its operator.'),
    })
    .describe(
      'What documents and callbacks can reach besides public addresses. The operator of the service decides it.',
    ),
});
export type AccountSettingsResponse = z.output<typeof accountSettingsResponse>;

/** Query of GET /account/events. */
export const accountEventsQuery = z.strictObject({
  page: z.coerce.number().int().min(1).max(100).default(1).describe('For later pages see GET /events.'),
  limit: z.coerce.number().int().min(1).max(100).default(20),
});

const accountHistoryEvent = z.object({
  id: z.string(),
  type: z.string().describe('Such as `PlanChanged`.'),
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
