import { z } from 'zod';
import { renderDoneResponse } from './render.ts';
import { optionalRenderOptionFields, withConsistentPage } from './render-options.ts';
import { templateLabels } from './template-labels.ts';
import { anyObject, defaultOptions, templateFieldLimits, variablesUpTo } from './templates.ts';

/** The largest data, header and footer of a preview, together. In megabytes. */
export const maxPreviewDataMb = 1;

/** The body of POST /templates/preview. `maxVariables` is the limit of the plan; null is unlimited. */
export const previewTemplateRequestFor = (maxVariables: number | null) =>
  withConsistentPage(
    z.strictObject({
      content: z.string().min(1).describe('HTML with placeholders.'),
      variables: variablesUpTo(maxVariables).default([]),
      default_options: defaultOptions.default({}),
      labels: templateLabels.default({}),
      data: anyObject,
      editor: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .describe(
          'A name for the editor that shows the preview. A newer preview with the same name, of the same key or ' +
            'person, replaces an older one, which then fails with `preview_replaced`.',
        ),
      ...optionalRenderOptionFields,
    }),
  );
export const previewTemplateRequest = previewTemplateRequestFor(templateFieldLimits.variables);

/** 200 of the previews. */
export const templatePreviewResponse = renderDoneResponse
  .pick({ pdf_base64: true, pages: true, file_size_kb: true, warnings: true })
  .extend({ duration_ms: z.number().describe('The time of the renderer.') });

/** A template that is delivered with the product: the fields of a POST /templates that creates it. */
export const exampleTemplate = z.object({
  example: z.string().describe('The name of the example.'),
  name: z.string(),
  description: z.string().optional(),
  category: z.string(),
  content: z.string(),
  variables: z.array(z.looseObject({})),
  default_options: z.looseObject({}),
  labels: templateLabels,
  sample_data: anyObject,
});
