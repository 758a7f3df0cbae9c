import { Problem } from '#contracts/http/problem.ts';
import type { PlanLimits } from '#contracts/plans.ts';
import type { Preparation, Terms } from '#libs/documents/preparation.ts';
import { bytesPerMb } from '#libs/sizes/sizes.ts';

/** @throws Problem template_too_large */
export const requireSize = (content: string, { maxTemplateMb }: PlanLimits): void => {
  if (Buffer.byteLength(content) <= maxTemplateMb * bytesPerMb) return;
  throw Problem.of('template_too_large', `The template is larger than the ${maxTemplateMb} MB that the plan allows.`, { max_size_mb: maxTemplateMb });
};

/** Reads the template as a render would. What it says of variables that are not declared is no reason to refuse it. @throws Problem invalid_template_syntax */
export const requireSyntax = async (preparation: Preparation, content: string, terms: Terms): Promise<void> => {
  const { errors } = await preparation.analyse({ content, variables: [] }, terms);
  const first = errors.find(({ type }) => type === 'syntax_error');
  if (first) throw Problem.of('invalid_template_syntax', first.message, first.line === undefined ? {} : { line: first.line });
};
