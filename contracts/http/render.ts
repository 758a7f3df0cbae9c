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
    'Text, or base64: always for docx; for text types after a `data:...;base64,` prefix, or where all of it is canonical base64 of text that reads as the input type.',
  );

export const convertRequest = z.strictObject({
  mode: z.literal('CONVERT'),
  input_type: z.enum(inputTypes),
  data: z
    .union([textData, anyObject, anyArray], 'must be text, or for json also an object or array')
    .describe('The content. For json also an object or array as it stands.'),
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
    .describe('An older version that is still kept; the current one unless given.'),
  data: anyObject.describe("The values of the template's placeholders."),
  ...optionalRenderOptionFields,
  ...webhookFields,
});

export type TemplateRequest = z.output<typeof templateRequest>;

export const renderStatuses = ['QUEUED', 'PROCESSING', 'DONE', 'FAILED'] as const;

/** The Render object as a synchronous answer has it. */
export const renderDoneResponse = z.object({
  id: z.string().describe('render_<id>'),
  status: z.literal('DONE'),
  pdf_base64: z.string(),
  pages: z.number().int(),
  file_size_kb: z.number().describe('Size of the PDF in units of 1024 bytes, to two decimals.'),
  duration_ms: z.number().describe('From the acceptance of the request to the finished PDF.'),
  created_at: z.string().describe('ISO 8601, UTC.'),
  diagnostics: diagnostics.optional().describe('There where it was asked for.'),
});
