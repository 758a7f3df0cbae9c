import type { TemplateDocument } from '#libs/projections/templates.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { templateNotFound } from '#application/templates/commands.ts';
import { findTemplate, createTemplateReader } from '#application/templates/queries.ts';

/** A template of the account from the read model. @throws ApiError template_not_found */
export const requireTemplateDocument = async (
  reads: ReadStore,
  accountId: string,
  id: string,
): Promise<TemplateDocument> => {
  const document = await findTemplate(createTemplateReader(reads), accountId, id);
  if (!document) throw templateNotFound();
  return document;
};
