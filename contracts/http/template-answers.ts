import { z } from 'zod';
import { defaultOptions, templateCategories, variable } from './templates.ts';

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

export const templateSummary = z.object(summaryFields);
export type TemplateSummary = z.output<typeof templateSummary>;

/** 201 of POST /templates. */
export const createdTemplate = z.object({ ...summaryFields, variables: z.array(variable), default_options: defaultOptions });
export type CreatedTemplate = z.output<typeof createdTemplate>;

/** 200 of GET /templates/{id}. `last_used_at` is absent until the first render. */
export const template = createdTemplate.extend({ content: z.string(), usage_count: z.number().int(), last_used_at: timestamp.optional() });
export type Template = z.output<typeof template>;

export const updatedTemplate = z.object({ id: z.string(), name: z.string(), description: z.string().optional(), version: z.number().int(), updated_at: timestamp });
export type UpdatedTemplate = z.output<typeof updatedTemplate>;

export const templateList = z.object({
  templates: z.array(templateSummary),
  total: z.number().int(),
  page: z.number().int(),
  limit: z.number().int(),
  pages: z.number().int(),
});
export type TemplateList = z.output<typeof templateList>;

export const templateVersionEntry = z.object({ version: z.number().int(), created_at: timestamp, changes: z.string() });
export type TemplateVersionEntry = z.output<typeof templateVersionEntry>;

/** 200 of GET /templates/{id}/versions, newest first. */
export const templateVersions = z.object({ template_id: z.string(), versions: z.array(templateVersionEntry) });
export type TemplateVersions = z.output<typeof templateVersions>;

/** 200 of GET /templates/{id}/versions/{n}: one kept version as it was. */
export const templateVersionContent = templateVersionEntry.extend({
  template_id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  category: z.enum(templateCategories),
  content: z.string(),
  variables: z.array(variable),
  default_options: defaultOptions,
});
export type TemplateVersionContent = z.output<typeof templateVersionContent>;

/** One thing wrong with a template. `line` counts from 1. */
export const templateFinding = z.object({
  type: z.enum(['syntax_error', 'missing_variable']),
  message: z.string(),
  line: z.number().int().optional(),
  variable: z.string().optional(),
});
export type TemplateFinding = z.output<typeof templateFinding>;

/** 200 of POST /templates/validate. */
export const templateVerdict = z.object({ valid: z.boolean(), errors: z.array(templateFinding) });
export type TemplateVerdict = z.output<typeof templateVerdict>;
