import type { BreakdownResponse, StatisticsResponse } from '#contracts/http/statistics.ts';
import type { Example } from '../server/route.ts';

const statistics: StatisticsResponse = {
  since: '2026-03-01T00:00:00.000Z',
  until: '2026-03-03T00:00:00.000Z',
  interval: 'day',
  totals: {
    renders: 812,
    succeeded: 800,
    failed: 10,
    success_rate: 0.9877,
    p50_ms: 41.7,
    p95_ms: 131.1,
    quota_used: 812,
    pages: 1_140,
    pdf_bytes: 27_262_976,
    running: 2,
  },
  failures: [
    { error: 'template_render_error', count: 7 },
    { error: 'image_load_failed', count: 3 },
  ],
  series: [
    { time: '2026-03-01T00:00:00.000Z', renders: 402, succeeded: 400, failed: 2, p50_ms: 41.7, p95_ms: 119.1 },
    { time: '2026-03-02T00:00:00.000Z', renders: 410, succeeded: 400, failed: 8, p50_ms: 41.7, p95_ms: 144.2 },
  ],
  webhooks: { requested: 31, delivered: 28, failed: 2, attempts: 37, failed_attempts: 9, pending: 1 },
  attention: {
    quota: { limit: 1_000, used: 812, share: 0.812, resets_at: '2026-04-01T00:00:00.000Z' },
    webhook_endpoints: [
      {
        endpoint: 'example.com/hooks/pdf',
        consecutive_failures: 6,
        failing_since: '2026-03-02T08:10:00.000Z',
        last_attempt_at: '2026-03-02T09:14:30.000Z',
        last_error: 'The receiver responded with status 503.',
      },
    ],
    templates: [
      {
        template_id: 'tpl_01JR04W1PD2M5S8V3Q6X9Z7TKF',
        name: 'Offer',
        renders: 60,
        failed: 7,
        failure_rate: 0.1167,
        last_error: {
          error: 'template_render_error',
          message: 'The data has no value for customer.name.',
          at: '2026-03-02T09:12:00.000Z',
          render_id: 'render_01JR04W1PD2M5S8V3Q6X9Z7TKG',
        },
      },
    ],
    keys: [
      {
        key_id: 'key_01JR04W1PD2M5S8V3Q6X9Z7TKH',
        name: 'web shop',
        prefix: 'svc_live_3kQ9',
        expires_at: '2026-03-09T00:00:00.000Z',
      },
    ],
  },
};

const breakdown: BreakdownResponse = {
  since: '2026-03-01',
  until: '2026-03-03',
  by: 'template',
  rows: [
    {
      value: 'tpl_01JR04W1PD2M5S8V3Q6X9Z7TKF',
      name: 'Offer',
      renders: 60,
      succeeded: 53,
      failed: 7,
      success_rate: 0.8833,
      p50_ms: 45.9,
      p95_ms: 158.6,
      quota_used: 60,
      pages: 71,
      pdf_bytes: 1_703_936,
    },
  ],
  next_cursor: null,
};

export const statisticsExample: Record<string, Example> = { days: { summary: 'Two days', value: statistics } };
export const breakdownExample: Record<string, Example> = { template: { summary: 'By template', value: breakdown } };
