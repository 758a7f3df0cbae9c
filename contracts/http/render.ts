import { z } from 'zod';
import { diagnostics } from './diagnostics.ts';
import { pageRequestFields } from './page-request.ts';
import { namedRenderOptionFields, optionalRenderOptionFields, withConsistentPage } from './render-options.ts';
import { anyObject } from './templates.ts';
import { warnings } from './warnings.ts';
import { webhookFields } from './webhook.ts';
import { outputContentTypes } from './output.ts';

export const requestModes = ['CONVERT', 'RENDER', 'COMPOSE'] as const;
export const inputTypes = [
  'html',
  'docx',
  'markdown',
  'xml',
  'csv',
  'json',
  'url',
  'odt',
  'rtf',
  'doc',
  'xlsx',
  'pptx',
] as const;
export type InputType = (typeof inputTypes)[number];

const anyArray = z.custom<unknown[]>(Array.isArray, 'must be an array').meta({ type: 'array', items: {} });

const textData = z
  .string()
  .min(1)
  .describe(
    'Text or base64. docx, odt, rtf, doc, xlsx and pptx are always base64. Other types are base64 after a ' +
      '`data:...;base64,` prefix, or if the whole text is canonical base64 of text of the input type. url is the http ' +
      'or https URL of a page, without user name and password, at most 2048 characters.',
  );

export const convertRequest = withConsistentPage(
  z.strictObject({
    mode: z.literal('CONVERT'),
    input_type: z.enum(inputTypes),
    data: z
      .union([textData, anyObject, anyArray], 'must be text, or an object or array for json')
      .describe('The content: text, or for json also an object or array.'),
    ...pageRequestFields,
    ...namedRenderOptionFields,
    ...webhookFields,
  }),
);

export type ConvertRequest = z.output<typeof convertRequest>;

export const templateRequest = withConsistentPage(
  z.strictObject({
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
  }),
);

export type TemplateRequest = z.output<typeof templateRequest>;

export const renderStatuses = ['QUEUED', 'PROCESSING', 'DONE', 'FAILED'] as const;

const thumbnailFields = {
  thumbnail_base64: z
    .string()
    .optional()
    .describe('The image of the first page. Present if the request has `thumbnail`.'),
  thumbnail_content_type: z.literal('image/png').optional(),
  thumbnail_url: z
    .string()
    .optional()
    .describe('Link to the same image, valid as long as pdf_url. Present if the PDF is kept.'),
};

/** 200 of a synchronous render. */
export const renderDoneResponse = z.object({
  id: z.string().describe('render_<id>'),
  status: z.literal('DONE'),
  pdf_base64: z.string(),
  pages: z.number().int(),
  file_size_kb: z.number().describe('Size of the PDF in units of 1024 bytes, with two decimals.'),
  duration_ms: z.number().describe('From the acceptance of the request to the finished PDF.'),
  created_at: z.string().describe('ISO 8601, UTC.'),
  pdf_url: z
    .string()
    .optional()
    .describe('Link to the PDF, valid without a key until pdf_expires_at. Present if the request has `keep_pdf`.'),
  pdf_expires_at: z.string().optional().describe('ISO 8601, UTC. Present if the request has `keep_pdf`.'),
  ...thumbnailFields,
  warnings,
  diagnostics: diagnostics.optional().describe('Present if requested.'),
});

/** 200 of a synchronous render whose output is images. */
export const renderImagesResponse = renderDoneResponse
  .omit({ pdf_base64: true, thumbnail_base64: true, thumbnail_content_type: true, thumbnail_url: true })
  .extend({
    file_base64: z.string().describe('The image, or a ZIP file with an image of each page.'),
    content_type: z.enum(outputContentTypes),
    file_name: z.string(),
    pages: z.number().int().describe('The number of images.'),
  })
  .describe('The answer to a render whose `output` is png, jpeg or webp.');
