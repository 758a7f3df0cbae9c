import type {
  CreateTemplateResponse,
  TemplateResponse,
  TemplateSummaryResponse,
  TemplateVersionResponse,
  TemplateVersionEntry,
  UpdateTemplateResponse,
} from '#contracts/http/template-responses.ts';
import type { TemplateLabels } from '#contracts/http/template-labels.ts';
import { templateIdOf } from '#contracts/names.ts';
import type { FullTemplate } from '#application/templates/content.ts';
import type { TemplateUsesDocument } from '#libs/projections/template-uses.ts';
import type { TemplateVersionDocument } from '#libs/projections/template-versions.ts';
import type { TemplateDocument } from '#libs/projections/templates.ts';

const descriptionField = (description: string | null): { description?: string } =>
  description === null ? {} : { description };

const labelsField = (labels: TemplateLabels): { labels?: TemplateLabels } =>
  Object.keys(labels).length > 0 ? { labels } : {};

const sampleDataField = (data: Record<string, unknown>): { sample_data?: Record<string, unknown> } =>
  Object.keys(data).length > 0 ? { sample_data: data } : {};

type Times = { id: string; version: number; createdAt: string; updatedAt: string };

/** A template in the list. */
export const templateSummaryOf = ({
  id,
  name,
  description,
  category,
  version,
  createdAt,
  updatedAt,
}: TemplateDocument): TemplateSummaryResponse => ({
  id: templateIdOf(id),
  name,
  ...descriptionField(description),
  category,
  version,
  created_at: createdAt,
  updated_at: updatedAt,
});

/** The response to a creation: the template without its content. */
export const createdTemplateOf = (
  { id, version, createdAt, updatedAt }: Times,
  { name, description, category, variables, default_options, labels, sample_data }: FullTemplate,
): CreateTemplateResponse => ({
  id: templateIdOf(id),
  name,
  ...descriptionField(description),
  category,
  variables,
  default_options,
  ...labelsField(labels),
  ...sampleDataField(sample_data),
  version,
  created_at: createdAt,
  updated_at: updatedAt,
});

/** The response to the read of one template. */
export const templateOf = (
  document: TemplateDocument,
  full: FullTemplate,
  uses: TemplateUsesDocument | null,
): TemplateResponse => ({
  ...createdTemplateOf(document, full),
  content: full.content,
  usage_count: uses?.count ?? 0,
  ...(uses ? { last_used_at: uses.lastUsedAt } : {}),
});

/** The response to an update; `at` is the time of the new version. */
export const updatedTemplateOf = (
  id: string,
  { name, description }: Pick<FullTemplate, 'name' | 'description'>,
  version: number,
  at: string,
): UpdateTemplateResponse => ({
  id: templateIdOf(id),
  name,
  ...descriptionField(description),
  version,
  updated_at: at,
});

/** A version in the list of versions. */
export const versionEntryOf = ({ version, createdAt, changes }: TemplateVersionDocument): TemplateVersionEntry => ({
  version,
  created_at: createdAt,
  changes,
});

/** A version with its content. */
export const versionContentOf = (document: TemplateVersionDocument, full: FullTemplate): TemplateVersionResponse => {
  const { name, description, category, content, variables, default_options, labels, sample_data } = full;
  return {
    ...versionEntryOf(document),
    template_id: templateIdOf(document.templateId),
    name,
    ...descriptionField(description),
    category,
    content,
    variables,
    default_options,
    ...labelsField(labels),
    ...sampleDataField(sample_data),
  };
};
