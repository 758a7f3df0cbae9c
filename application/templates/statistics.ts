import type { TemplateStatistics } from '#contracts/http/template-responses.ts';
import { readModels, templateIdOf } from '#contracts/names.ts';
import { monthOf } from '#libs/limits/windows.ts';
import {
  renderStatistics,
  type RenderStatisticsDocument,
  statisticsIdPrefix,
} from '#libs/projections/render-statistics.ts';
import type { TemplateUsesDocument } from '#libs/projections/template-uses.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

/** The read models that the statistics come from. */
export const statisticsModels = [readModels.templateUsage, readModels.renders] as const;

/** The month of `now` and the one before, in UTC. */
const recentMonths = (now: Date): string[] => [
  monthOf(now),
  monthOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 0))),
];

/** How templates are used, by two queries for all of them. */
export const readTemplateStatistics = async (
  reads: ReadStore,
  accountId: string,
  templates: readonly { id: string }[],
  now: Date,
): Promise<(template: { id: string }) => TemplateStatistics> => {
  const months = recentMonths(now);
  const idsOf = ({ id }: { id: string }): string[] =>
    months.map((month) => statisticsIdPrefix(accountId, 'template', month) + templateIdOf(id));
  const [uses, counts] = await Promise.all([
    reads.getMany(
      readModels.templateUsage,
      templates.map(({ id }) => id),
    ) as Promise<TemplateUsesDocument[]>,
    reads.getMany(renderStatistics.name, templates.flatMap(idsOf)) as Promise<RenderStatisticsDocument[]>,
  ]);
  const usesById = new Map(uses.map((document) => [document.templateId, document]));
  const countsById = new Map(counts.map((document) => [document.id, document]));
  return (template) => {
    const used = usesById.get(template.id);
    const recent = idsOf(template).flatMap((id) => countsById.get(id) ?? []);
    const sum = (name: 'renders' | 'succeeded' | 'failed'): number =>
      recent.reduce((total, document) => total + document[name], 0);
    return {
      usage_count: used?.count ?? 0,
      ...(used ? { last_used_at: used.lastUsedAt } : {}),
      recent: { renders: sum('renders'), succeeded: sum('succeeded'), failed: sum('failed') },
    };
  };
};
