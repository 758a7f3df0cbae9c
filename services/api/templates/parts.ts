import type { PlanLimits } from '#contracts/plans.ts';
import type { Preparation } from '#libs/documents/preparation.ts';
import type { TemplateDocument } from '#libs/projections/templates.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { templateNotFound } from '#libs/templates/commands.ts';
import { findTemplate } from '#libs/templates/find.ts';
import type { Caller } from '../authenticate.ts';
import type { Freshness } from '../freshness.ts';
import type { SubmitParts } from '../submit-render.ts';
import { planLimits } from '../throttle.ts';

export type TemplateParts = SubmitParts & { reads: ReadStore; preparation: Preparation; freshness: Freshness };

/** What the caller's plan allows. */
export const planOf = ({ account }: Caller): PlanLimits => planLimits(account);

/** An account's template as queries see it. @throws Problem template_not_found */
export const requireTemplateDocument = async ({ reads }: TemplateParts, { account }: Caller, id: string): Promise<TemplateDocument> => {
  const document = await findTemplate(reads, account.id, id);
  if (!document) throw templateNotFound();
  return document;
};
