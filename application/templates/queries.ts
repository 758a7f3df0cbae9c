import { bareId, readModels, templateIdOf } from '#contracts/names.ts';
import { templateVersionId, type TemplateVersionDocument } from '#libs/projections/template-versions.ts';
import type { TemplateDocument } from '#libs/projections/templates.ts';
import type { ReadCache } from '#libs/concurrency/read-cache.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import type { TemplateStatistics } from '#contracts/http/template-responses.ts';
import { templateFieldLimits } from '#contracts/http/templates.ts';
import { monthOf } from '#libs/limits/windows.ts';
import {
  renderStatistics,
  type RenderStatisticsDocument,
  statisticsIdPrefix,
} from '#libs/projections/render-statistics.ts';
import type { TemplateUsesDocument } from '#libs/projections/template-uses.ts';

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

/** Reads templates from the read model by bare id. */
export const createTemplateReader = (reads: Pick<ReadStore, 'get'>) => ({
  find: async (id: string) => (await reads.get(readModels.templates, id)) as TemplateDocument | null,
});

/** An account's template by its `tpl_<id>`; null if it does not exist in the account. */
export const findTemplate = async (
  templates: Pick<ReadCache<TemplateDocument>, 'find'>,
  accountId: string,
  prefixed: string,
): Promise<TemplateDocument | null> => {
  const id = bareId('tpl', prefixed);
  const document = id ? await templates.find(id) : null;
  return document?.accountId === accountId ? document : null;
};

/** Whether a version is one of the last `kept` versions up to `current`. Null keeps all. */
export const isVersionKept = (version: number, current: number, kept: number | null): boolean =>
  version >= 1 && version <= current && (kept === null || version > current - kept);

/** A sentence for an error message, after a space: which versions are kept. `kept` is how many; null keeps all. */
export const keptVersionsHint = (current: number, kept: number | null): string => {
  const oldest = kept === null ? 1 : Math.max(1, current - kept + 1);
  return oldest === current ? ` Only version ${current} is kept.` : ` Versions ${oldest} to ${current} are kept.`;
};

/** A version that is kept; null if it is not kept or does not exist. */
export const findVersion = async (
  reads: ReadStore,
  template: TemplateDocument,
  version: number,
  kept: number | null,
): Promise<TemplateVersionDocument | null> => {
  if (!isVersionKept(version, template.version, kept)) return null;
  return (await reads.get(
    readModels.templateVersions,
    templateVersionId(template.id, version),
  )) as TemplateVersionDocument | null;
};

/** At most `limit` of the kept versions up to `newest`, newest first. */
export const listVersions = async (
  reads: ReadStore,
  template: TemplateDocument,
  kept: number | null,
  { newest, limit }: { newest: number; limit: number },
): Promise<TemplateVersionDocument[]> => {
  const ids = Array.from({ length: Math.min(limit, newest) }, (_, index) => newest - index)
    .filter((version) => isVersionKept(version, template.version, kept))
    .map((version) => templateVersionId(template.id, version));
  const found = (await reads.getMany(readModels.templateVersions, ids)) as TemplateVersionDocument[];
  return found.toSorted((a, b) => b.version - a.version);
};

/** The bare ids of at most `limit` templates of an account. */
export const listTemplateIds = async (reads: ReadStore, accountId: string, limit: number): Promise<string[]> =>
  ((await reads.find(readModels.templates, { where: { accountId }, limit })) as TemplateDocument[]).map(({ id }) => id);

const pageSize = 1_000;

/** All templates of an account, newest first. */
export const listTemplates = async (reads: ReadStore, accountId: string): Promise<TemplateDocument[]> => {
  const found: TemplateDocument[] = [];
  for (;;) {
    const page = await reads.find(readModels.templates, {
      where: { accountId },
      sort: { by: 'createdAt', descending: true },
      limit: pageSize,
      skip: found.length,
    });
    found.push(...(page as TemplateDocument[]));
    if (page.length < pageSize) return found;
  }
};

/** The template of an account with this name, by the read model; null if there is none. */
export const findTemplateByName = async (
  reads: ReadStore,
  accountId: string,
  name: string,
): Promise<TemplateDocument | null> =>
  ((await reads.find(readModels.templates, { where: { accountId, name }, limit: 1 }))[0] as TemplateDocument) ?? null;

/** A sentence with the id of the template whose name was sent as its id, after a space; empty if there is none. */
export const idOfTemplateNamed = async (reads: ReadStore, accountId: string, sentId: string): Promise<string> => {
  const isName = sentId.length <= templateFieldLimits.nameLength && bareId('tpl', sentId) === undefined;
  const named = isName ? await findTemplateByName(reads, accountId, sentId.normalize('NFC')) : null;
  return named ? ` The template of that name has the id ${templateIdOf(named.id)}.` : '';
};
