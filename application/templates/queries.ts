import { bareId, readModels } from '#contracts/names.ts';
import { templateVersionId, type TemplateVersionDocument } from '#libs/projections/template-versions.ts';
import type { TemplateDocument } from '#libs/projections/templates.ts';
import type { ReadCache } from '#libs/read-store/read-cache.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

/** Templates as the read model has them, by their bare ids. */
export const createTemplateReader = (reads: Pick<ReadStore, 'get'>) => ({
  find: async (id: string) => (await reads.get(readModels.templates, id)) as TemplateDocument | null,
});

/** An account's template by its `tpl_<id>`; null where it is another's, gone, or made up. */
export const findTemplate = async (
  templates: Pick<ReadCache<TemplateDocument>, 'find'>,
  accountId: string,
  prefixed: string,
): Promise<TemplateDocument | null> => {
  const id = bareId('tpl', prefixed);
  const document = id ? await templates.find(id) : null;
  return document?.accountId === accountId ? document : null;
};

/** Whether a version of a template that is at version `current` may still be read: one of the last `kept`, or any where `kept` is null. */
export const isVersionRetained = (version: number, current: number, kept: number | null): boolean =>
  version >= 1 && version <= current && (kept === null || version > current - kept);

/** A version that may still be read; null where it may not, or never was. */
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

/** The versions that may still be read, newest first. */
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

/** The bare ids of an account's templates, of `most` at most. */
export const listTemplateIds = async (reads: ReadStore, accountId: string, most: number): Promise<string[]> =>
  ((await reads.find(readModels.templates, { where: { accountId }, limit: most })) as TemplateDocument[]).map(
    ({ id }) => id,
  );
