import { hash } from 'node:crypto';
import { type ErrorDetail, ParseOption, XmlDocument, XmlLibError } from 'libxml2-wasm';
import { ApiError, furtherViolations, invalidField } from '#contracts/http/api-error.ts';
import { type FacturXOption, type FacturXViolation, maxFacturXLength } from '#contracts/http/factur-x.ts';
import { expandTemplate, type TemplateInput } from '#libs/documents/prepare.ts';
import { profiles } from './profiles.ts';
import { validatorOf } from './schema.ts';
import { findNodes, findWrongTotals } from './totals.ts';

/** `template` is what fills in the document, for the XML of a template; its content is another. */
export type InvoiceInput = { option: FacturXOption; template: TemplateInput | null };

const maxListedViolations = 20;

const invalidXml = (violations: readonly FacturXViolation[]): ApiError => {
  const [first] = violations;
  const { line, element, message } = first!;
  const where = [...(line === null ? [] : [`line ${line}`]), ...(element === null ? [] : [element])].join(', ');
  const text = `${where === '' ? '' : `${where}: `}${message}${furtherViolations(violations.length)}`;
  return ApiError.of('invalid_factur_x', `factur_x: ${text}`, {
    violations: violations.slice(0, maxListedViolations),
    total_violations: violations.length,
  });
};

/** `Element '{urn:...}ID': ...` without namespaces and advice for programmers, and the name of the element apart. */
const schemaViolation = ({ message, line }: ErrorDetail): FacturXViolation => {
  const text = message
    .trim()
    .replaceAll(/\{urn:[^}]*\}/g, '')
    .replace(/,? use XML_PARSE_HUGE option$/, '');
  const [, element = null, rest = text] = /^Element '([^']+)'(?:, attribute '[^']+')?: ([\s\S]*)$/.exec(text) ?? [];
  return { line: line > 0 ? line : null, element, rule: null, message: rest.slice(0, 1000) };
};

const plainViolation = (message: string, line: number | null = null): FacturXViolation => ({
  line,
  element: null,
  rule: null,
  message,
});

/** Entities can be made to take any memory, and to read files; an invoice needs none. */
const requirePlainXml = (xml: string): void => {
  const prologue = xml.slice(0, xml.search(/<[A-Za-z_]/) + 1);
  if (/<!DOCTYPE/i.test(prologue)) throw invalidXml([plainViolation('A document type (<!DOCTYPE>) is not allowed.')]);
  const encoding = /^\s*<\?xml[^>]*encoding\s*=\s*["']([^"']*)["']/.exec(prologue)?.[1];
  if (encoding !== undefined && !/^utf-?8$/i.test(encoding))
    throw invalidXml([plainViolation('The encoding must be UTF-8.', 1)]);
};

const parseOptions = ParseOption.XML_PARSE_NONET | ParseOption.XML_PARSE_NO_XXE | ParseOption.XML_PARSE_BIG_LINES;

const parse = (xml: string): XmlDocument => {
  try {
    // The library takes the sum of options, which is no member of its enum.
    // oxlint-disable-next-line no-unsafe-enum-assignment
    return XmlDocument.fromString(xml, { option: parseOptions });
  } catch (error) {
    if (!(error instanceof XmlLibError)) throw error;
    throw invalidXml(error.details.map(schemaViolation));
  }
};

const invoiceNamespace = 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100';

/** The schema says only that it has no such element. Many programs export invoices as UBL. */
const requireCrossIndustryInvoice = ({ root }: XmlDocument): void => {
  const { name, namespaceUri, line } = root;
  if (name === 'CrossIndustryInvoice' && namespaceUri === invoiceNamespace) return;
  const message = namespaceUri.startsWith('urn:oasis:names:specification:ubl:')
    ? 'The XML is an invoice in UBL. Send the same invoice as a CrossIndustryInvoice (UN/CEFACT CII).'
    : `The root element must be CrossIndustryInvoice of the namespace ${invoiceNamespace}.`;
  throw invalidXml([{ line: line > 0 ? line : null, element: name.slice(0, 100), rule: null, message }]);
};

const findSchemaViolations = (document: XmlDocument, schema: string): FacturXViolation[] => {
  try {
    validatorOf(schema).validate(document);
    return [];
  } catch (error) {
    if (!(error instanceof XmlLibError)) throw error;
    return error.details.map(schemaViolation);
  }
};

const findWrongGuideline = (document: XmlDocument, { profile }: FacturXOption): FacturXViolation[] => {
  const { guidelines } = profiles[profile];
  const [guideline] = findNodes(
    document,
    '/rsm:CrossIndustryInvoice/rsm:ExchangedDocumentContext/ram:GuidelineSpecifiedDocumentContextParameter/ram:ID',
  );
  if (!guideline || guidelines.includes(guideline.content.trim())) return [];
  return [
    {
      line: guideline.line,
      element: 'GuidelineSpecifiedDocumentContextParameter/ID',
      rule: null,
      message: `For the profile ${profile} it must be ${guidelines.join(' or ')}.`,
    },
  ];
};

const checkInvoice = (xml: string, option: FacturXOption): void => {
  requirePlainXml(xml);
  const document = parse(xml);
  try {
    if (document.dtd) throw invalidXml([plainViolation('A document type (<!DOCTYPE>) is not allowed.')]);
    requireCrossIndustryInvoice(document);
    const bySchema = [
      ...findWrongGuideline(document, option),
      ...findSchemaViolations(document, profiles[option.profile].schema),
    ];
    const violations = bySchema.length > 0 ? bySchema : findWrongTotals(document);
    if (violations.length > 0) throw invalidXml(violations);
  } finally {
    document.dispose();
  }
};

/** Numbers in XML have a dot, and no separators between thousands. */
const xmlLocale = 'en-US-u-va-posix';

const fillIn = (content: string, template: TemplateInput): string =>
  expandTemplate(
    { ...template, content, contentHash: hash('sha256', content, 'hex'), locale: xmlLocale },
    { maxOutputBytes: maxFacturXLength },
  );

/**
 * The XML of an invoice, checked against the schema of its profile and for totals that add up. Runs in a worker
 * process, because the XML can be large.
 * @throws ApiError invalid_factur_x; the errors of a template
 */
export const readInvoice = ({ option, template }: InvoiceInput): string => {
  if (option.template !== undefined && !template)
    throw invalidField('factur_x.template', 'factur_x.template needs mode RENDER; send factur_x.xml.');
  const xml = option.xml ?? fillIn(option.template!, template!);
  checkInvoice(xml, option);
  return xml;
};
