import { z } from 'zod';
import { diagnostics } from './diagnostics.ts';
import { renderOptionFields } from './render-options.ts';
import { anyObject, optionalRenderOptionFields } from './templates.ts';
import { webhookFields } from './webhook.ts';

export const requestModes = ['CONVERT', 'RENDER'] as const;
export const inputTypes = ['html', 'docx', 'markdown', 'xml', 'csv', 'json'] as const;
export type InputType = (typeof inputTypes)[number];

const anyArray = z.custom<unknown[]>(Array.isArray, 'must be an array').meta({ type: 'array', items: {} });

const textData = z
  .string()
  .min(1)
  .describe(
    'Text or base64. docx is always base64. Other types are base64 after a `data:...;base64,` prefix, or if the ' +
      'whole text is canonical base64 of text of the input type.',
  );

export const convertRequest = z.strictObject({
  mode: z.literal('CONVERT'),
  input_type: z.enum(inputTypes),
  data: z
    .union([textData, anyObject, anyArray], 'must be text, or an object or array for json')
    .describe('The content: text, or for json also an object or array.'),
  ...renderOptionFields,
  ...webhookFields,
});

export type ConvertRequest = z.output<typeof convertRequest>;

export const templateRequest = z.strictObject({
  mode: z.literal('RENDER'),
  template_id: z.string().describe('tpl_<id>'),
  template_version: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe('A version that is still kept. Default: the current version.'),
  data: anyObject.describe('The values of the placeholders of the template.'),
  ...optionalRenderOptionFields,
  ...webhookFields,
});

export type TemplateRequest = z.output<typeof templateRequest>;

export const renderStatuses = ['QUEUED', 'PROCESSING', 'DONE', 'FAILED'] as const;

/** 200 of a synchronous render. */
export const renderDoneResponse = z.object({
  id: z.string().describe('render_<id>'),
  status: z.literal('DONE'),
  pdf_base64: z.string(),
  pages: z.number().int(),
  file_size_kb: z.number().describe('Size of the PDF in units of 1024 bytes, with two decimals.'),
  duration_ms: z.number().describe('From the acceptance of the request to the finished PDF.'),
  created_at: z.string().describe('ISO 8601, UTC.'),
  diagnostics: diagnostics.optional().describe('Present if requested.'),
});
