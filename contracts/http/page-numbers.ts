import { z } from 'zod';
import { bounds } from '../events/bounded.ts';
import { lengthBetween, numberBetween } from './lengths.ts';
import { stampColor, stampPages, stampText } from './stamp-fields.ts';

const maxFormatLength = 100;

const pageNumberStyles = ['decimal', 'lower_roman', 'upper_roman'] as const;
export type PageNumberStyle = (typeof pageNumberStyles)[number];

const pageNumberPositions = [
  'bottom_center',
  'bottom_left',
  'bottom_right',
  'bottom_outside',
  'top_center',
  'top_left',
  'top_right',
  'top_outside',
] as const;

const fields = z.strictObject({
  format: stampText(maxFormatLength)
    .refine((text) => text.includes('{page}'), 'must contain {page}')
    .refine((text) => !/\n/.test(text), 'must be one line')
    .refine(
      (text) => !/\{\{|\{(?!(?:page|total)\})\w*\}/.test(text),
      'must have no other placeholders than {page} and {total}, each in single braces',
    )
    .default('{page} / {total}')
    .describe(
      `The text, at most ${maxFormatLength} characters, with {page} and, if wanted, {total}, which is the number of ` +
        'the last page. Default: "{page} / {total}".',
    ),
  start: z
    .number()
    .int()
    .min(0)
    .max(999_999)
    .default(1)
    .describe('The number of the first page. With 0 and `pages: "2-"` a cover has no number, and page 2 is 1.'),
  style: z
    .enum(pageNumberStyles)
    .default('decimal')
    .describe('3, iii or III. Where numbers go beyond 3999, all are decimal. Default: decimal.'),
  restart_by_part: z
    .boolean()
    .default(false)
    .describe('For composed documents: whether each part has numbers and a total of its own. Default: false.'),
  position: z
    .enum(pageNumberPositions)
    .default('bottom_center')
    .describe('`outside` is right on odd pages and left on even ones. Default: bottom_center.'),
  margin: lengthBetween(0, 100)
    .default(8)
    .describe('How far from the edges of the page: millimetres, or text with a unit. Default: 8.'),
  font_size: numberBetween(4, 72, 'points').default(9).describe('Points, 4 to 72. Default: 9.'),
  color: stampColor.default('#000000'),
  pages: stampPages,
});
/** Of all fields as JSON: the event of the render contains them. */
bounds.add(fields, { bytes: 2_000 });

/** The option `page_numbers`. */
export const pageNumbers = fields
  .optional()
  .describe(
    'Numbers on the pages of the finished PDF, above all of composed documents. PDF readers show the same numbers in ' +
      'their list of pages. A document of one part can have {{page}} in its footer_html instead.',
  );
export type PageNumbersOption = z.output<typeof fields>;

const romanDigits: readonly [number, string][] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];

/** The highest Roman numeral without a bar. */
export const maxRoman = 3999;

/** Other numbers are written as decimals. */
const roman = (number: number): string => {
  if (number < 1 || number > maxRoman) return String(number);
  let [text, rest] = ['', number];
  for (const [value, digits] of romanDigits) for (; rest >= value; rest -= value) text += digits;
  return text;
};

/** The text of a page number. Numbers that have no Roman numeral are decimal. */
export const formatPageNumber = (number: number, style: PageNumberStyle): string => {
  if (style === 'decimal') return String(number);
  return style === 'lower_roman' ? roman(number) : roman(number).toUpperCase();
};
