import type { PlanLimits } from '#contracts/plans.ts';
import type { Preparation } from '#libs/documents/preparation.ts';
import type { TemplateDocument } from '#libs/projections/templates.ts';
import { templateNotFound } from '#application/templates/commands.ts';
import { findTemplate, templatesIn } from '#application/templates/queries.ts';
import type { Caller } from '../server/callers.ts';
import type { SourceParts } from '../renders/render-source.ts';
import type { SubmitParts } from '../renders/submit-render.ts';
import { planLimits } from '../server/rate-limit.ts';

export type TemplateParts = SubmitParts & SourceParts & { preparation: Preparation };

/** What the caller's plan allows. */
export const planOf = ({ account }: Caller): PlanLimits => planLimits(account);

/** An account's template as queries see it. @throws Problem template_not_found */
export const requireTemplateDocument = async ({ reads }: TemplateParts, { account }: Caller, id: string): Promise<TemplateDocument> => {
  const document = await findTemplate(templatesIn(reads), account.id, id);
  if (!document) throw templateNotFound();
  return document;
};
