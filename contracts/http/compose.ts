import { z } from 'zod';
import { printOptionNames } from './print-option-names.ts';
import { namedRenderOptionFields, type NamedRenderOptions, withConsistentPage } from './render-options.ts';
import { convertRequest, templateRequest } from './render.ts';
import { webhookFields } from './webhook.ts';

export const partModes = ['CONVERT', 'RENDER', 'PDF'] as const;
export type PartMode = (typeof partModes)[number];

/** More than any plan allows. */
export const maxComposedParts = 1000;

/** The options that belong to pages: a part can have them, and those of the whole document apply to all its parts. */
const pageOptionNames = [
  ...printOptionNames,
  'wait_for_selector',
  'page_ranges',
  'locale',
  'time_zone',
  'base_url',
  'docx_layout',
  'one_page_per_sheet',
] as const satisfies readonly (keyof NamedRenderOptions)[];

const isPageOption = (name: string): boolean => (pageOptionNames as readonly string[]).includes(name);

/** The options that belong to pages, of those that a request names. */
export const pageOptionsOf = (options: NamedRenderOptions): NamedRenderOptions =>
  Object.fromEntries(Object.entries(options).filter(([name]) => isPageOption(name)));

/**
 * The options of a part's template that only the whole document can have, and that are therefore ignored. Options that
 * ask for nothing, and the name of the file, are not among them.
 */
export const wholeOptionNames = (options: NamedRenderOptions): (keyof NamedRenderOptions)[] =>
  (Object.keys(namedRenderOptionFields) as (keyof NamedRenderOptions)[]).filter(
    (name) => !isPageOption(name) && name !== 'file_name' && ![undefined, null, false].includes(options[name] as null),
  );

const pageOptions = z.object(namedRenderOptionFields).pick(
  Object.fromEntries(pageOptionNames.map((name) => [name, true])) as {
    [K in (typeof pageOptionNames)[number]]: true;
  },
).shape;

export const startOn = z
  .enum(['any', 'right'])
  .describe(
    '`right`: the part begins on a page with an odd number, which is the right one of two; a blank page is put ' +
      'before it if needed. Default: `any`.',
  );

const partFields = {
  title: z
    .string()
    .trim()
    .min(1)
    .max(500)
    .optional()
    .describe(
      'The name of the part in the outline and in the table of contents. Default: the title of its document, else its ' +
        'first heading, else the name of its file.',
    ),
  cover: z
    .boolean()
    .optional()
    .describe('The part is a cover: without page numbers, not in the contents, and before them. Default: false.'),
  start_on: startOn.optional(),
} as const;

const { mode: convertMode, input_type, data: convertData } = convertRequest.shape;
const { mode: renderMode, template_id, template_version, data: templateData } = templateRequest.shape;

export const convertPart = withConsistentPage(
  z.strictObject({ mode: convertMode, input_type, data: convertData, ...partFields, ...pageOptions }),
);
export const templatePart = withConsistentPage(
  z.strictObject({
    mode: renderMode,
    template_id,
    template_version,
    data: templateData,
    ...partFields,
    ...pageOptions,
  }),
);
export const pdfPart = z.strictObject({
  mode: z.literal('PDF'),
  data: z.string().min(1).describe('The PDF in base64. Scripts, actions and files in it are left out.'),
  ...partFields,
  page_ranges: pageOptions.page_ranges,
});

export type ConvertPart = z.output<typeof convertPart>;
export type TemplatePart = z.output<typeof templatePart>;
export type PdfPart = z.output<typeof pdfPart>;
export type ComposePart = ConvertPart | TemplatePart | PdfPart;

const contentsFields = z.strictObject({
  title: z.string().trim().min(1).max(200).optional().describe('The heading. Default: "Contents", in the language.'),
  depth: z
    .number()
    .int()
    .min(1)
    .max(4)
    .optional()
    .describe('1: only the parts. 2: also their headings of the first level, and so on. Default: 2.'),
  language: z
    .string()
    .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/, 'must be a language tag, such as "de"')
    .optional()
    .describe('The language of the page. Default: that of the first part.'),
});

const contents = z
  .union([z.boolean(), contentsFields], 'must be true, false, or an object')
  .describe(
    'A table of contents with links and page numbers, after the cover or at the beginning. `true`, or an object with ' +
      '`title`, `depth` and `language`.',
  );

export const composeRequest = withConsistentPage(
  z.strictObject({
    mode: z.literal('COMPOSE'),
    parts: z
      .array(z.discriminatedUnion('mode', [convertPart, templatePart, pdfPart]))
      .min(1)
      .max(maxComposedParts)
      .describe(
        'The parts in their order: documents to convert, templates with data, and existing PDFs. An option of a part ' +
          'applies instead of the same option of the whole request. A link to `part:2` goes to the part with the index ' +
          '2. Each part that is made counts as one render.',
      ),
    contents: contents.optional(),
    start_on: startOn.optional().describe(`For all parts that do not name it. ${startOn.description}`),
    ...namedRenderOptionFields,
    ...webhookFields,
  }),
);
export type ComposeRequest = z.output<typeof composeRequest>;
