import { z } from 'zod';
import { actorResponse } from './actor.ts';
import { templateLabels } from './template-labels.ts';
import { defaultOptions, sampleData, templateCategories, variableDeclaration } from './templates.ts';

const timestamp = z.string().describe('ISO 8601, UTC.');

const summaryFields = {
  id: z.string().describe('tpl_<id>'),
  name: z.string(),
  description: z.string().optional(),
  category: z.enum(templateCategories),
  version: z.number().int(),
  created_at: timestamp,
  updated_at: timestamp,
};

/** How a template is used. */
const templateStatistics = z.object({
  usage_count: z.number().int().describe('All renders with the template. Template tests do not count.'),
  last_used_at: timestamp.optional().describe('Absent until the first render.'),
  recent: z
    .object({ renders: z.number().int(), succeeded: z.number().int(), failed: z.number().int() })
    .describe('The renders of this month and the month before, in UTC.'),
});
export type TemplateStatistics = z.output<typeof templateStatistics>;

const templateSummaryResponse = z.object({
  ...summaryFields,
  statistics: templateStatistics.optional().describe('Present with `statistics=true`.'),
});
export type TemplateSummaryResponse = z.output<typeof templateSummaryResponse>;

const settings = {
  variables: z.array(variableDeclaration),
  default_options: defaultOptions,
  labels: templateLabels.optional().describe('Present if the template has labels.'),
  sample_data: sampleData.optional().describe('Present if the template has sample data.'),
};

/** 201 of POST /templates. */
export const createTemplateResponse = z.object({ ...summaryFields, ...settings });
export type CreateTemplateResponse = z.output<typeof createTemplateResponse>;

/** 200 of GET /templates/{id}. `last_used_at` is absent until the first render. */
export const templateResponse = createTemplateResponse.extend({
  content: z.string(),
  usage_count: z.number().int(),
  last_used_at: timestamp.optional(),
});
export type TemplateResponse = z.output<typeof templateResponse>;

export const updateTemplateResponse = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  version: z.number().int(),
  updated_at: timestamp,
});
export type UpdateTemplateResponse = z.output<typeof updateTemplateResponse>;

export const templateListResponse = z.object({
  templates: z.array(templateSummaryResponse),
  total: z.number().int(),
  page: z.number().int(),
  limit: z.number().int(),
  pages: z.number().int(),
});

const templateVersionEntry = z.object({ version: z.number().int(), created_at: timestamp, changes: z.string() });
export type TemplateVersionEntry = z.output<typeof templateVersionEntry>;

/** A version in the list of versions. */
const listedTemplateVersion = templateVersionEntry.extend({ created_by: actorResponse });
export type ListedTemplateVersion = z.output<typeof listedTemplateVersion>;

/** 200 of GET /templates/{id}/versions, newest first. */
export const templateVersionsResponse = z.object({
  template_id: z.string(),
  versions: z.array(listedTemplateVersion),
  next_cursor: z.string().nullable().describe('Null on the last page.'),
});

/** 200 of GET /templates/{id}/versions/{n}. */
export const templateVersionResponse = templateVersionEntry.extend({
  template_id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  category: z.enum(templateCategories),
  content: z.string(),
  ...settings,
});
export type TemplateVersionResponse = z.output<typeof templateVersionResponse>;

/** An error in a template. `line` counts from 1. */
const templateIssue = z.object({
  type: z.enum(['missing_content', 'syntax_error', 'missing_variable', 'missing_label']),
  message: z.string(),
  line: z.number().int().optional(),
  variable: z.string().optional(),
  label: z.string().optional(),
});
export type TemplateIssue = z.output<typeof templateIssue>;

/** 200 of POST /templates/validate. */
export const validateTemplateResponse = z.object({ valid: z.boolean(), errors: z.array(templateIssue) });
