import { z } from 'zod';
import { type Attachment, attachments } from './attachments.ts';
import { conformance, withPdfA3 } from './conformance.ts';
import { facturX } from './factur-x.ts';
import { encryption } from './encryption.ts';
import { fileName } from './file-name.ts';
import { lengthBetween, numberBetween, toMillimetres } from './lengths.ts';
import { localeOptionFields } from './locale.ts';
import { findOutputProblems, outputOptionFields, withoutOtherOutput } from './output.ts';
import { pageNumbers } from './page-numbers.ts';
import { pageOptionFields } from './page-request.ts';
import { pageRanges } from './page-ranges.ts';
import { pdfMetadata } from './pdf-metadata.ts';
import { pageSizeName } from './page-sizes.ts';
import { findPlaceholderProblems } from './placeholders.ts';
import { watermark } from './watermark.ts';

/** How a Word document is laid out. */
const docxLayout = z
  .enum(['faithful', 'semantic'])
  .default('faithful')
  .describe(
    'How a docx is laid out. faithful: as Word shows it, with its own pages, headers, footers, fonts and colours; ' +
      'LibreOffice lays it out. semantic: its headings, lists, tables, images and notes in the style of the service; ' +
      '`warnings` list what it leaves out. Where LibreOffice is not installed, the default is semantic with a warning.',
  );

/** Whether every sheet of a workbook is one page. */
const onePagePerSheet = z
  .boolean()
  .default(false)
  .describe(
    'Prints every sheet of an xlsx on one page: on its own paper, or on larger paper if the sheet needs it. By default ' +
      'sheets have their own page setup.',
  );

export const orientations = ['portrait', 'landscape'] as const;

const margin = (initial: number) =>
  lengthBetween(0, 100)
    .default(initial)
    .describe('0 to 100 mm: a number of millimetres, or text with a unit, such as "2cm" or "0.5in".');
const sheetLength = (name: string, other: string) =>
  lengthBetween(10, 5000)
    .optional()
    .describe(
      `The ${name} of the page in portrait, 10 mm to 5 m: a number of millimetres, or text with a unit (mm, cm, in, ` +
        `px, pt, pc, q), such as "8.5in". Needs ${other}; replaces page_size.`,
    );
/** Longer texts are checked when the header or footer is parsed, off the event loop. */
const maxCheckedCharacters = 64 * 1024;
const maxListedProblems = 10;

const headerFooterHtml = z
  .string()
  .superRefine((html, context) => {
    if (html.length > maxCheckedCharacters) return;
    for (const { message, didYouMean } of findPlaceholderProblems(html, maxListedProblems))
      context.addIssue({ code: 'custom', message, ...(didYouMean && { params: { did_you_mean: didYouMean } }) });
  })
  .nullable()
  .default(null)
  .describe(
    'HTML of the header or footer in the margin, with the placeholders {{page}}, {{total}}, {{date}} (of the ' +
      'request in `time_zone`, YYYY-MM-DD), {{title}} (of the document) and {{section}} (the first h1 or h2 that starts on the ' +
      'page, else the last one before it); any other is an error. The margin grows if it is lower than the header or ' +
      'footer. External images are fetched from the src of img elements: as many as the plan allows in a document, and ' +
      '10 MB in all.',
  );
const headerFooterHeight = numberBetween(0, 100, 'mm').default(10).describe('Millimetres, 0 to 100.');

/** The render options of a request with their defaults. */
export const renderOptionFields = {
  page_size: pageSizeName.default('A4').describe('The name of a page size, in any letter case.'),
  width: sheetLength('width', 'height'),
  height: sheetLength('height', 'width'),
  orientation: z.enum(orientations).default('portrait').describe('landscape exchanges width and height of the page.'),
  margin_top: margin(20),
  margin_bottom: margin(20),
  margin_left: margin(15),
  margin_right: margin(15),
  prefer_css_page_size: z
    .boolean()
    .default(false)
    .describe(
      'Uses the page size, margins and named pages of the @page rules in the document. Options of the request or the ' +
        'template have priority: page_size, width and height, and orientation over every size, each margin over that ' +
        'margin.',
    ),
  page_ranges: pageRanges
    .optional()
    .describe(
      'The pages to print, such as "1-3, 5, 8-". Default: all. Pages that the document does not have are left out; ' +
        'it is an error if none is left. {{page}} and {{total}} count the pages of the whole document.',
    ),
  header_html: headerFooterHtml,
  footer_html: headerFooterHtml,
  header_height: headerFooterHeight,
  footer_height: headerFooterHeight,
  print_background: z.boolean().default(true).describe('Prints background colours and images.'),
  scale: z.number().min(0.1).max(2).default(1).describe('The scale of the content, 0.1 to 2.'),
  wait_for: z
    .enum(['load', 'domcontentloaded', 'networkidle'])
    .default('load')
    .describe('What to wait for before the document is printed.'),
  wait_time: z.number().min(0).max(5000).default(0).describe('Additional wait in milliseconds, 0 to 5000.'),
  emulate_media: z.enum(['print', 'screen']).default('print').describe('The CSS media type of the document.'),
  tagged: z
    .boolean()
    .default(false)
    .describe(
      'Adds the structure of the document for screen readers and for reuse: headings, lists, tables, alternative texts ' +
        'of images, language and reading order. Printing takes about 1.6 times as long.',
    ),
  conformance,
  metadata: pdfMetadata,
  attachments,
  factur_x: facturX,
  watermark,
  page_numbers: pageNumbers,
  encryption,
  outline: z
    .boolean()
    .default(false)
    .describe(
      'Adds bookmarks from the headings of the document, with the numbers that a style sheet gives them if the ' +
        'document has at most 50,000 elements. The PDF is then tagged, too.',
    ),
  docx_layout: docxLayout,
  one_page_per_sheet: onePagePerSheet,
  ...outputOptionFields,
  file_name: fileName,
  ...localeOptionFields,
  keep_pdf: z
    .boolean()
    .optional()
    .describe(
      'Whether the PDF of a synchronous render is kept, as that of an asynchronous one always is: for an hour, or as long ' +
        'as the settings of the account say. The response then has `pdf_url` and `pdf_expires_at`. Default: false.',
    ),
  ...pageOptionFields,
} as const;

type OptionFields = typeof renderOptionFields;
type OptionalFields = { [K in keyof OptionFields]: z.ZodOptional<ReturnType<OptionFields[K]['unwrap']>> };

const optionalFields = (withDefault: boolean): OptionalFields =>
  Object.fromEntries(
    Object.entries(renderOptionFields).map(([name, field]) => {
      const { description } = field;
      const initial = field instanceof z.ZodDefault ? field.def.defaultValue : undefined;
      const meta = {
        ...(description && { description }),
        ...(withDefault && initial !== undefined && { default: initial }),
      };
      return [name, field.unwrap().optional().meta(meta)];
    }),
  ) as unknown as OptionalFields;

/**
 * All render options, as the caller names them: optional, and without defaults. For the default options of a template,
 * and for requests that override them.
 */
export const optionalRenderOptionFields = optionalFields(false);
/** The same fields; the reference shows the defaults. */
export const namedRenderOptionFields = optionalFields(true);

/** With files as bytes, too. */
type WithAttachments = { attachments?: Attachment[] | undefined };

export const namedRenderOptions = z.strictObject(optionalRenderOptionFields);
/** The options that a caller named, as sent. Absent: the default, the template's default, or what the document says. */
export type NamedRenderOptions = Omit<z.output<typeof namedRenderOptions>, 'attachments'> & WithAttachments;

/** Runs a check of several fields even if other fields have errors, so that a caller gets all errors at once. */
const whenObject = { when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null };

/** Refuses contradictory options. */
export const withConsistentPage = <
  S extends z.ZodType<Pick<NamedRenderOptions, 'page_size' | 'width' | 'height' | 'output'>>,
>(
  schema: S,
): S =>
  schema.superRefine((options, context) => {
    const { page_size: pageSize, width, height, output } = options;
    // Without an output, that of the template applies: storeRenderInput checks it.
    for (const { field, message } of output === undefined ? [] : findOutputProblems(options))
      context.addIssue({ code: 'custom', path: [field], message });
    const [field, other] = width === undefined ? ['height', 'width'] : ['width', 'height'];
    if (width === undefined && height === undefined) return;
    if (width === undefined || height === undefined)
      context.addIssue({ code: 'custom', path: [field], message: `must be sent together with ${other}` });
    else if (pageSize !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['width'],
        message: 'must not be sent together with page_size: send page_size, or width and height',
      });
  }, whenObject);

/** The options of a request, else those of `below`. A page size replaces width and height, and the other way round. */
export const mergeRenderOptions = <T extends NamedRenderOptions>(below: T, request: NamedRenderOptions): T => {
  const named = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined));
  const { page_size: pageSize, width, height, ...rest } = withoutOtherOutput(below, named);
  const replacesPage = 'page_size' in named || 'width' in named;
  const page = { ...(pageSize && { page_size: pageSize }), ...(width !== undefined && { width, height }) };
  return { ...rest, ...(replacesPage ? {} : page), ...named } as T;
};

export const marginSides = ['top', 'bottom', 'left', 'right'] as const;
export type MarginSide = (typeof marginSides)[number];
/** What the `@page` rules of the document decide. */
export type CssPage = { size: boolean; margins: MarginSide[] };

const cssPageOf = (named: NamedRenderOptions): CssPage => ({
  size: [named.page_size, named.width, named.orientation].every((option) => option === undefined),
  margins: marginSides.filter((side) => named[`margin_${side}`] === undefined),
});

const defaultedOptions = z.strictObject(renderOptionFields);
type LengthName = `margin_${MarginSide}`;
/** All options with defaults applied. Lengths in millimetres, times in milliseconds. */
export type RenderOptions = Omit<z.output<typeof defaultedOptions>, LengthName | 'width' | 'height' | 'attachments'> &
  WithAttachments &
  Record<LengthName, number> & { width?: number; height?: number; css_page?: CssPage };

const completeLengths = ({ width, height, ...options }: z.output<typeof defaultedOptions>): RenderOptions => ({
  ...options,
  ...(width !== undefined && height !== undefined && { width: toMillimetres(width), height: toMillimetres(height) }),
  margin_top: toMillimetres(options.margin_top),
  margin_bottom: toMillimetres(options.margin_bottom),
  margin_left: toMillimetres(options.margin_left),
  margin_right: toMillimetres(options.margin_right),
});

/**
 * Fills in the defaults of the options that are not named, which must be valid. `css_page` is present if
 * prefer_css_page_size is true.
 */
export const withDefaultOptions = (named: NamedRenderOptions): RenderOptions => {
  // They have no defaults, and can have megabytes, which are not checked again.
  const { attachments, ...others } = named;
  const completed = { ...completeLengths(defaultedOptions.parse(others)), ...(attachments && { attachments }) };
  const options = named.factur_x ? { ...completed, conformance: withPdfA3(named.conformance) } : completed;
  return named.prefer_css_page_size === true ? { ...options, css_page: cssPageOf(named) } : options;
};

/** The same for options that may be invalid. */
export const renderOptions = namedRenderOptions.transform(withDefaultOptions);
