import { z } from 'zod';
import { readImageData } from './image-data.ts';
import { lengthBetween, numberBetween } from './lengths.ts';
import { stampColor, stampPages, stampText } from './stamp-fields.ts';

const maxTextLength = 500;
/** Of the decoded image. A request can have 1 MB besides its documents. */
const maxImageBytes = 700 * 1024;
const maxImageCharacters = Math.ceil(maxImageBytes / 3) * 4 + 100;
/** 4 bytes each while the browser draws them. */
const maxWatermarkPixels = 16_000_000;

const watermarkPositions = [
  'center',
  'top',
  'bottom',
  'left',
  'right',
  'top_left',
  'top_right',
  'bottom_left',
  'bottom_right',
] as const;

const image = z
  .string()
  .min(1)
  .max(maxImageCharacters, { error: 'must have at most 700 KB', abort: true })
  .superRefine((text, context) => {
    const read = readImageData(text);
    const message =
      read === null
        ? 'must be a PNG, JPEG or SVG image in base64'
        : (read.pixels ?? 1) === 0 || (read.pixels ?? 1) > maxWatermarkPixels
          ? `must have 1 to ${maxWatermarkPixels / 1e6} million pixels; it has ${read.pixels}`
          : null;
    if (message !== null) context.addIssue({ code: 'custom', message });
  })
  .describe(
    'A PNG, JPEG or SVG image in base64, with or without a `data:` prefix: at most 700 KB and 16 million pixels. Scripts ' +
      'and links in an SVG do not work.',
  );

const fields = z
  .strictObject({
    text: stampText(maxTextLength)
      .optional()
      .describe(`The text in any script, at most ${maxTextLength} characters. Line breaks are kept.`),
    image: image.optional(),
    opacity: z.number().min(0.01).max(1).default(0.15).describe('0.01 to 1. Default: 0.15.'),
    rotation: z
      .number()
      .min(-360)
      .max(360)
      .optional()
      .describe('Degrees, counter-clockwise. Default: 45 for a text, 0 for an image.'),
    position: z.enum(watermarkPositions).default('center').describe('Where on the page. Default: center.'),
    layer: z
      .enum(['over', 'under'])
      .default('over')
      .describe('`over` or `under` the content. Backgrounds of the content hide what is under it. Default: over.'),
    pages: stampPages,
    font_size: numberBetween(4, 500, 'points')
      .optional()
      .describe('Points, 4 to 500. Default: as large as the lines of the text fit on the page, 12 to 140.'),
    color: stampColor.default('#000000'),
    width: lengthBetween(1, 2000)
      .optional()
      .describe(
        'The width of the image: millimetres, or text with a unit. Default: half of the width of the page, or less, so ' +
          'that it fits.',
      ),
  })
  .superRefine(({ text, image: imageData, font_size: fontSize, width }, context) => {
    const problem = (path: string[], message: string): void => context.addIssue({ code: 'custom', path, message });
    if ((text === undefined) === (imageData === undefined)) problem([], 'must have either text or image');
    else if (text === undefined && fontSize !== undefined) problem(['font_size'], 'is allowed only with text');
    else if (text !== undefined && width !== undefined) problem(['width'], 'is allowed only with image');
  });

/** The option `watermark`. */
export const watermark = fields
  .optional()
  .describe(
    'A text or an image on every page, such as "DRAFT". Readers with assistive technology skip it. It is drawn once in ' +
      'the PDF, however many pages show it.',
  );
export type WatermarkOption = z.output<typeof fields>;
