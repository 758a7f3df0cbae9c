import { z } from 'zod';
import { bounds } from '../events/bounded.ts';

/** The standards of archives: PDF/A part 2 or 3, level b (appearance) or u (and text as Unicode). */
export const pdfaLevels = ['pdf/a-2b', 'pdf/a-2u', 'pdf/a-3b', 'pdf/a-3u'] as const;
/** The standard of accessible PDFs. */
export const pdfUa = 'pdf/ua-1';

const standard = z.enum([...pdfaLevels, pdfUa]);
export type Standard = z.output<typeof standard>;

const standards = z
  .array(standard)
  .min(1)
  .max(2)
  .refine((named) => new Set(named).size === named.length && named.filter((one) => one !== pdfUa).length <= 1, {
    message: `must name one PDF/A level, "${pdfUa}", or both`,
  });

bounds.add(standards, { items: 2 });

/** The option `conformance`. */
export const conformance = z
  .union([standard, standards], {
    error: `must be one of ${[...pdfaLevels, pdfUa].join(', ')}, or an array of one PDF/A level and ${pdfUa}`,
  })
  .optional()
  .describe(
    'The standards that the PDF must conform to: one PDF/A level for archives (`pdf/a-2b`, `pdf/a-2u`, `pdf/a-3b`, ' +
      '`pdf/a-3u`), `pdf/ua-1` for readers with assistive technology, or both in an array. A document that cannot ' +
      'conform is `conformance_not_met`, with what to change. The PDF is tagged.',
  );

/** The standards with PDF/A-3, which an electronic invoice needs, unless they name a PDF/A level. */
export const withPdfA3 = (named: Standard | Standard[] | undefined): Standard[] => {
  const standardNames = [named ?? []].flat();
  return standardNames.some((one) => one !== pdfUa) ? standardNames : ['pdf/a-3b', ...standardNames];
};

/** What must be changed so that a document conforms. */
export const conformanceViolation = z.object({
  standard: z.string().describe('The standard and its clause, such as "ISO 14289-1, 7.3".'),
  element: z.string().describe('The element, such as "Figure 1 on page 2".'),
  message: z.string().describe('What to change.'),
});
export type ConformanceViolation = z.output<typeof conformanceViolation>;
