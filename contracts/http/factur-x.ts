import { z } from 'zod';

/** The profiles of Factur-X 1.0 and ZUGFeRD 2, from the fewest fields to the most. */
export const facturXProfiles = ['minimum', 'basicwl', 'basic', 'en16931', 'extended', 'xrechnung'] as const;
export type FacturXProfile = (typeof facturXProfiles)[number];

/** The names that a program looks for; ZUGFeRD has another file name for the profile XRECHNUNG. */
export const facturXFileNames = ['factur-x.xml', 'xrechnung.xml'] as const;
/** The name that the XML must have in the PDF. */
export const facturXFileNameOf = (profile: FacturXProfile): string => facturXFileNames[profile === 'xrechnung' ? 1 : 0];
/** Of the invoice in XML, in characters. */
export const maxFacturXLength = 2_000_000;

/** The option `factur_x`. */
export const facturX = z
  .strictObject({
    profile: z
      .enum(facturXProfiles)
      .describe('The profile that the invoice is checked against. `minimum` and `basicwl` are no full invoices.'),
    xml: z
      .string()
      .min(1)
      .max(maxFacturXLength)
      .optional()
      .describe('The invoice as a CrossIndustryInvoice (UN/CEFACT CII) in UTF-8.'),
    template: z
      .string()
      .min(1)
      .max(maxFacturXLength)
      .optional()
      .describe('In place of xml, with mode RENDER: a template of the XML, which the same data fills in.'),
  })
  .refine(({ xml, template }) => (xml === undefined) !== (template === undefined), 'must have either xml or template')
  .optional()
  .describe(
    'Makes an electronic invoice (Factur-X, ZUGFeRD): the XML is checked, and attached to a PDF/A-3 as `factur-x.xml`, ' +
      'or as `xrechnung.xml` with the profile `xrechnung`. ' +
      'Without a PDF/A level in `conformance` this is `pdf/a-3b`. XML that does not fit is `invalid_factur_x`.',
  );
export type FacturXOption = NonNullable<z.output<typeof facturX>>;

/** What is wrong in the XML of an invoice. `rule` is a rule of EN 16931. */
export const facturXViolation = z.object({
  line: z.number().int().nullable().describe('The line in the XML, from 1.'),
  element: z.string().nullable(),
  rule: z.string().nullable().describe('The rule of EN 16931, such as "BR-CO-15"; null if the schema is not met.'),
  message: z.string().describe('What is wrong, and what is allowed.'),
});
export type FacturXViolation = z.output<typeof facturXViolation>;
