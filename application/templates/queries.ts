import { bareId, readModels } from '#contracts/names.ts';
import { templateVersionId, type TemplateVersionDocument } from '#libs/projections/template-versions.ts';
import type { TemplateDocument } from '#libs/projections/templates.ts';
import type { ReadCache } from '#libs/concurrency/read-cache.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

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
export const isVersionRetained = (version: number, current: number, kept: number | null): boolean =>
  version >= 1 && version <= current && (kept === null || version > current - kept);

/** A retained version; null if it is not retained or does not exist. */
export const findVersion = async (
  reads: ReadStore,
  template: TemplateDocument,
  version: number,
  kept: number | null,
): Promise<TemplateVersionDocument | null> => {
  if (!isVersionRetained(version, template.version, kept)) return null;
  return (await reads.get(
    readModels.templateVersions,
    templateVersionId(template.id, version),
  )) as TemplateVersionDocument | null;
};

/** The retained versions, newest first. */
export const listVersions = async (
  reads: ReadStore,
  template: TemplateDocument,
  kept: number | null,
): Promise<TemplateVersionDocument[]> => {
  const sort = { by: 'version', descending: true };
  return (await reads.find(readModels.templateVersions, {
    where: { templateId: template.id },
    sort,
    limit: kept ?? template.version,
  })) as TemplateVersionDocument[];
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
