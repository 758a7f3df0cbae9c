import type { StatisticsResponse } from '#contracts/http/statistics.ts';
import { apiKeyIdOf, bareId, readModels, renderIdOf, templateIdOf } from '#contracts/names.ts';
import type { ApiKeyDocument } from '#libs/projections/api-keys.ts';
import {
  renderStatistics,
  type RenderStatisticsDocument,
  statisticsIdPrefix,
} from '#libs/projections/render-statistics.ts';
import type { TemplateDocument } from '#libs/projections/templates.ts';
import { webhookEndpoints, type WebhookEndpointDocument } from '#libs/projections/webhook-statistics.ts';
import type { LimitStatus } from '#libs/limits/port.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { addCounts, shareOf } from './counts.ts';

type Attention = StatisticsResponse['attention'];

const maxItems = 20;
const dayMs = 24 * 3_600_000;
const minQuotaShare = 0.8;
const minFailureRate = 0.05;
const failureDays = 7;
/** Templates that failed most recently are looked at first. */
const maxFailedDocuments = 100;
const maxFailingTemplates = 40;
const expiryWarningMs = 14 * dayMs;

const quotaAttention = ({ limit, used, resetAt }: LimitStatus): Attention['quota'] =>
  limit === null || used < minQuotaShare * limit
    ? null
    : { limit, used, share: shareOf(used, limit) ?? 1, resets_at: resetAt.toISOString() };

const failingEndpoints = async (reads: ReadStore, accountId: string): Promise<Attention['webhook_endpoints']> => {
  const found = (await reads.find(webhookEndpoints.name, {
    where: { accountId, isFailing: true },
    sort: { by: 'lastAttemptAt', descending: true },
    limit: maxItems,
  })) as WebhookEndpointDocument[];
  return found.map(({ endpoint, consecutiveFailures, failingSince, lastAttemptAt, lastError }) => ({
    endpoint,
    consecutive_failures: consecutiveFailures,
    failing_since: failingSince!,
    last_attempt_at: lastAttemptAt,
    last_error: lastError!,
  }));
};

const dayOf = (now: Date, daysAgo: number): string =>
  new Date(now.getTime() - daysAgo * dayMs).toISOString().slice(0, 10);

const lastDays = (now: Date): string[] => Array.from({ length: failureDays }, (_, daysAgo) => dayOf(now, daysAgo));

/** The days with failures say which templates to look at; then all of their days count. */
const failingTemplates = async (reads: ReadStore, accountId: string, now: Date): Promise<Attention['templates']> => {
  const days = lastDays(now);
  const failed = (await reads.find(renderStatistics.name, {
    where: { accountId },
    // Later days are from a clock that was ahead.
    range: { by: 'failedOn', from: days.at(-1)!, before: dayOf(now, -1) },
    sort: { by: 'failedOn', descending: true },
    limit: maxFailedDocuments,
  })) as RenderStatisticsDocument[];
  const ids = [...new Set(failed.map(({ value }) => value))].slice(0, maxFailingTemplates);
  if (ids.length === 0) return [];
  const [templates, documents] = await Promise.all([
    reads.getMany(
      readModels.templates,
      ids.map((id) => bareId('tpl', id)!),
    ) as Promise<TemplateDocument[]>,
    reads.getMany(
      renderStatistics.name,
      days.flatMap((day) => ids.map((id) => statisticsIdPrefix(accountId, 'template', day) + id)),
    ) as Promise<RenderStatisticsDocument[]>,
  ]);
  const byTemplate = Map.groupBy(documents, ({ value }) => bareId('tpl', value)!);
  return templates
    .map(({ id, name }) => {
      const own = byTemplate.get(id) ?? [];
      const { renders, succeeded, failed: failures } = addCounts(own);
      const last = own.flatMap(({ lastError }) => lastError ?? []).toSorted((a, b) => b.at.localeCompare(a.at))[0]!;
      return {
        template_id: templateIdOf(id),
        name,
        renders,
        failed: failures,
        failure_rate: shareOf(failures, succeeded + failures) ?? 0,
        last_error: { error: last.error, message: last.message, at: last.at, render_id: renderIdOf(last.renderId) },
      };
    })
    .filter(({ failure_rate: rate }) => rate >= minFailureRate)
    .toSorted((a, b) => b.failure_rate - a.failure_rate || b.failed - a.failed)
    .slice(0, maxItems);
};

const expiringKeys = async (reads: ReadStore, accountId: string, now: Date): Promise<Attention['keys']> => {
  const found = (await reads.find(readModels.apiKeys, {
    where: { accountId, isRevoked: false },
    range: {
      by: 'expiresAt',
      from: now.toISOString(),
      before: new Date(now.getTime() + expiryWarningMs).toISOString(),
    },
    sort: { by: 'expiresAt', descending: false },
    limit: maxItems,
  })) as ApiKeyDocument[];
  return found.map(({ id, name, prefix, expiresAt }) => ({
    key_id: apiKeyIdOf(id),
    name,
    prefix,
    expires_at: expiresAt!,
  }));
};

/** What needs the attention of an account's people now. `quota` is the present state of its quota. */
export const readAttention = async (
  reads: ReadStore,
  accountId: string,
  quota: LimitStatus,
  now: Date,
): Promise<Attention> => {
  const [endpoints, templates, keys] = await Promise.all([
    failingEndpoints(reads, accountId),
    failingTemplates(reads, accountId, now),
    expiringKeys(reads, accountId, now),
  ]);
  return { quota: quotaAttention(quota), webhook_endpoints: endpoints, templates, keys };
};
