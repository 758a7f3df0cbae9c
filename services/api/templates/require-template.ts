import { Problem } from '#contracts/http/problem.ts';
import type { PlanLimits } from '#contracts/plans.ts';
import type { Preparation, Terms } from '#libs/documents/preparation.ts';
import type { TemplateDocument } from '#libs/projections/templates.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { bytesPerMb } from '#libs/sizes/sizes.ts';
import { templateNotFound } from '#application/templates/commands.ts';
import { findTemplate, templatesIn } from '#application/templates/queries.ts';

/** An account's template as queries see it. @throws Problem template_not_found */
export const requireTemplateDocument = async (
  reads: ReadStore, accountId: string, id: string,
): Promise<TemplateDocument> => {
  const document = await findTemplate(templatesIn(reads), accountId, id);
  if (!document) throw templateNotFound();
  return document;
};

/** @throws Problem template_too_large */
export const requireSize = (content: string, { maxTemplateMb }: PlanLimits): void => {
  if (Buffer.byteLength(content) <= maxTemplateMb * bytesPerMb) return;
  const message = `The template is larger than the ${maxTemplateMb} MB that the plan allows.`;
  throw Problem.of('template_too_large', message, { max_size_mb: maxTemplateMb });
};

/** Reads the template as a render would, whatever its variables. @throws Problem invalid_template_syntax */
const requireSyntax = async (preparation: Preparation, content: string, terms: Terms): Promise<void> => {
  const { errors } = await preparation.analyse({ content, variables: [] }, terms);
  const first = errors.find(({ type }) => type === 'syntax_error');
  if (first) throw Problem.of('invalid_template_syntax', first.message, first.line === undefined ? {} : { line: first.line });
};

/** @throws Problem template_too_large, invalid_template_syntax */
export const requireContent = async (
  preparation: Preparation, content: string, limits: PlanLimits, accountId: string,
): Promise<void> => {
  requireSize(content, limits);
  await requireSyntax(preparation, content, { timeoutMs: limits.processingMs, group: accountId });
};
