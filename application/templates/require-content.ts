import { ApiError, throwErrors } from '#contracts/http/api-error.ts';
import type { TemplateIssue } from '#contracts/http/template-responses.ts';
import type { PlanLimits } from '#contracts/plans.ts';
import type { DocumentPreparation } from '#libs/documents/document-preparation.ts';
import type { TaskOptions } from '#libs/documents/worker-pool.ts';
import { bytesPerMb } from '#libs/sizes/sizes.ts';
import type { FullTemplate } from './content.ts';

/** @throws ApiError template_too_large */
export const requireTemplateSize = (content: string, { maxTemplateMb }: PlanLimits): void => {
  if (Buffer.byteLength(content) <= maxTemplateMb * bytesPerMb) return;
  const message = `The template is larger than the ${maxTemplateMb} MB that the plan allows.`;
  throw ApiError.of('template_too_large', message, { field: 'content', max_size_mb: maxTemplateMb });
};

/** The parts of a template that must agree with each other. */
type TemplateText = Pick<FullTemplate, 'content' | 'labels'> & Partial<Pick<FullTemplate, 'default_options'>>;

const invoiceField = 'default_options.factur_x.template';

/** An error of the document, or of the electronic invoice that the same data fill in. */
const syntaxError = (field: string, { message, line }: TemplateIssue): ApiError =>
  ApiError.of('invalid_template_syntax', field === invoiceField ? `factur_x.template: ${message}` : message, {
    field,
    ...(line === undefined ? {} : { line }),
  });

/** Parses the template and that of its invoice; variables are not checked. @throws ApiError invalid_template_syntax */
const requireTemplateSyntax = async (
  preparation: DocumentPreparation,
  { content, labels, default_options: defaults }: TemplateText,
  options: TaskOptions,
): Promise<void> => {
  const invoice = defaults?.factur_x?.template;
  const texts = [['content', content], ...(invoice === undefined ? [] : [[invoiceField, invoice]])] as const;
  const found = await Promise.all(
    texts.map(async ([field, text]) => {
      const { errors } = await preparation.analyse({ content: text, labels, variables: [] }, options);
      return errors.map((error) => syntaxError(field, error));
    }),
  );
  throwErrors(found.flat());
};

/** @throws ApiError template_too_large, invalid_template_syntax */
export const requireTemplateContent = async (
  preparation: DocumentPreparation,
  template: TemplateText,
  limits: PlanLimits,
  accountId: string,
): Promise<void> => {
  requireTemplateSize(template.content, limits);
  await requireTemplateSyntax(preparation, template, { timeoutMs: limits.processingMs, group: accountId });
};
