import { z } from 'zod';
import { composeRequest } from './compose.ts';
import { convertRequest, inputTypes, requestModes, templateRequest } from './render.ts';

const binary = (description: string) =>
  z.string().meta({ format: 'binary', contentMediaType: 'application/octet-stream' }).describe(description);

const {
  mode: _mode,
  input_type: _inputType,
  data: _data,
  attachments: _attachments,
  ...optionFields
} = convertRequest.shape;
const { template_id, template_version } = templateRequest.shape;
const { contents, start_on } = composeRequest.shape;

export const maxAssets = 500;

/**
 * The parts of a multipart/form-data body of a render request. The body is validated as a JSON body with the same
 * fields once its parts are read.
 */
export const multipartRequest = z.object({
  file: binary('The document to convert: the bytes of a file, never base64.').optional(),
  assets: z
    .array(binary('An image, font or style sheet. Its file name, such as `img/logo.png`, is its name in the document.'))
    .optional()
    .describe(
      'Images, fonts and style sheets of an HTML or Markdown document, of a template, or of header and footer: at ' +
        `most ${maxAssets} parts named \`assets\` or \`assets[]\`. They are found by their relative names.`,
    ),
  attachments: z
    .array(binary('A file to attach to the PDF. Its file name is its name in the PDF.'))
    .optional()
    .describe(
      'Files to attach: parts named `attachments` or `attachments[]`. An entry of the field attachments in options with ' +
        'the same name, and without data, adds relationship, description and modified_at.',
    ),
  files: z
    .array(
      binary('A document, an existing PDF, or JSON with the data of a template. Its file name is its name in `parts`.'),
    )
    .optional()
    .describe(
      'The files of a composed document: parts named `files` or `files[]`. A part of the document names one, such as ' +
        '`{"file": "terms.pdf", "title": "Terms"}`; a file may be several parts. Without `parts`, the files are the parts ' +
        'in their order.',
    ),
  parts: z
    .string()
    .optional()
    .describe(
      'The parts of a composed document as JSON, as in a JSON body, or with `file` in place of `data`. The mode of a part ' +
        'with a file is by default PDF for a PDF, RENDER with a template_id, else CONVERT.',
    ),
  contents,
  start_on,
  options: z
    .string()
    .optional()
    .describe('A JSON object with any of the other fields. A part of its own overrides the field in options.'),
  mode: z
    .enum(requestModes)
    .optional()
    .describe('Default: RENDER if there is a template_id, COMPOSE if there are parts or files, else CONVERT.'),
  input_type: z
    .enum(inputTypes)
    .optional()
    .describe('Default: by the content type of the part file, else by the extension of its name.'),
  template_id: template_id.optional(),
  template_version,
  data: z.string().optional().describe('The values of the placeholders of the template: JSON, as text or as a file.'),
  ...optionFields,
});
