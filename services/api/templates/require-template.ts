import { ApiError } from '#contracts/http/api-error.ts';
import type { PlanLimits } from '#contracts/plans.ts';
import type { DocumentPreparation, PreparationOptions } from '#libs/documents/document-preparation.ts';
import type { TemplateDocument } from '#libs/projections/templates.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { bytesPerMb } from '#libs/sizes/sizes.ts';
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

/** @throws ApiError template_too_large */
export const requireTemplateSize = (content: string, { maxTemplateMb }: PlanLimits): void => {
  if (Buffer.byteLength(content) <= maxTemplateMb * bytesPerMb) return;
  const message = `The template is larger than the ${maxTemplateMb} MB that the plan allows.`;
  throw ApiError.of('template_too_large', message, { max_size_mb: maxTemplateMb });
};

/** Parses the template; its variables are not checked. @throws ApiError invalid_template_syntax */
const requireTemplateSyntax = async (
  preparation: DocumentPreparation,
  content: string,
  options: PreparationOptions,
): Promise<void> => {
  const { errors } = await preparation.analyse({ content, variables: [] }, options);
  const first = errors.find(({ type }) => type === 'syntax_error');
  if (first)
    throw ApiError.of('invalid_template_syntax', first.message, first.line === undefined ? {} : { line: first.line });
};

/** @throws ApiError template_too_large, invalid_template_syntax */
export const requireTemplateContent = async (
  preparation: DocumentPreparation,
  content: string,
  limits: PlanLimits,
  accountId: string,
): Promise<void> => {
  requireTemplateSize(content, limits);
  await requireTemplateSyntax(preparation, content, { timeoutMs: limits.processingMs, group: accountId });
};
