import type { DefaultOptions } from '#contracts/http/templates.ts';
import { isObject } from '#contracts/http/type-names.ts';

/** The file in the folder of a template with the template of its electronic invoice: `factur_x.template`. */
export const invoiceFile = 'factur-x.xml';

/** The fields of a template with the content of its invoice file, if it has one and `factur_x` names no XML itself. */
export const withInvoice = (fields: object, xml: string | null): object => {
  const options = (fields as { default_options?: unknown }).default_options;
  const facturX = isObject(options) ? options['factur_x'] : undefined;
  if (xml === null || !isObject(options) || !isObject(facturX)) return fields;
  if (facturX['xml'] !== undefined || facturX['template'] !== undefined) return fields;
  return { ...fields, default_options: { ...options, factur_x: { ...facturX, template: xml } } };
};

/** The options without the template of the invoice, and that template, which has a file of its own. */
export const splitInvoice = (
  options: DefaultOptions | undefined,
): { options: DefaultOptions | undefined; xml: string | null } => {
  const facturX = options?.factur_x;
  if (facturX?.template === undefined) return { options, xml: null };
  const { template, ...others } = facturX;
  return { options: { ...options, factur_x: others }, xml: template };
};
