import { ApiError } from '#contracts/http/api-error.ts';
import type { TemplateVersionDocument } from '#libs/projections/template-versions.ts';
import type { TemplateDocument } from '#libs/projections/templates.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { templateNotFound } from '#application/templates/commands.ts';
import {
  createTemplateReader,
  findTemplate,
  findVersion,
  idOfTemplateNamed,
  keptVersionsHint,
} from '#application/templates/queries.ts';

/** A template of the account from the read model. @throws ApiError template_not_found */
export const requireTemplateDocument = async (
  reads: ReadStore,
  accountId: string,
  id: string,
): Promise<TemplateDocument> => {
  const document = await findTemplate(createTemplateReader(reads), accountId, id);
  if (!document) throw templateNotFound(await idOfTemplateNamed(reads, accountId, id));
  return document;
};

/** The error for a version that is not kept. `current` is the version of the template, `kept` how many are kept; null keeps all. */
export const versionNotFound = (version: string | number, current: number, kept: number | null): ApiError =>
  ApiError.of(
    'template_not_found',
    `Version ${version} of the template never existed or is no longer kept.${keptVersionsHint(current, kept)}`,
  );

/** A version that is kept, by its number as text; `kept` is how many are. @throws ApiError template_not_found */
export const requireVersion = async (
  reads: ReadStore,
  template: TemplateDocument,
  version: string,
  kept: number | null,
): Promise<TemplateVersionDocument> => {
  const number = /^\d{1,9}$/.test(version) ? Number(version) : 0;
  const found = await findVersion(reads, template, number, kept);
  if (!found) throw versionNotFound(version, template.version, kept);
  return found;
};
