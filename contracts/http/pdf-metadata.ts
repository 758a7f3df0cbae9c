import { z } from 'zod';
import { bounds } from '../events/bounded.ts';
import { oneLine } from './one-line.ts';

const maxLength = 1000;
const maxListed = 50;
const maxCustom = 20;
/** These belong to other fields, or are written by the service. */
const reservedNames = new Set(
  ['Title', 'Author', 'Subject', 'Keywords', 'Creator', 'Producer', 'CreationDate', 'ModDate', 'Trapped'].map((name) =>
    name.toLowerCase(),
  ),
);

const line = oneLine(z.string().trim().min(1).max(maxLength));
const lineOrList = z.union([line, z.array(line).min(1).max(maxListed)]);
const customName = z
  .string()
  .regex(
    /^[A-Za-z_][\w.-]{0,99}$/,
    'must begin with a letter (A to Z) and have only letters, digits, ".", "-" and "_", at most 100 characters',
  )
  .refine((name) => !reservedNames.has(name.toLowerCase()), 'is reserved: a PDF has this entry of its own');

/** Of all fields as JSON in UTF-8, since the event of the render contains them. */
const maxBytes = 8_000;
const jsonBytes = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

const fields = z
  .strictObject({
    title: line.optional(),
    author: lineOrList.optional().describe('One name, or an array of names.'),
    subject: line.optional(),
    keywords: lineOrList.optional().describe('A text, or an array of keywords.'),
    creator: line.optional().describe('The program that made the document, for example the name of your application.'),
    custom: z
      .record(customName, line)
      .refine((entries) => Object.keys(entries).length <= maxCustom, `must have at most ${maxCustom} entries`)
      .optional()
      .describe(`Up to ${maxCustom} further entries, such as {"CaseNumber": "2026-118"}.`),
  })
  .refine((metadata) => jsonBytes(metadata) <= maxBytes, `must not have more than ${maxBytes} bytes as JSON`);
bounds.add(fields, { bytes: maxBytes });

/** The option `metadata`. */
export const pdfMetadata = fields
  .optional()
  .describe(
    'What the PDF says about itself. Without a field, the document decides: its `<title>`, its `<meta>` elements ' +
      '(author, description, keywords), its front matter, or the properties of the Word file.',
  );
export type PdfMetadataOption = NonNullable<z.output<typeof pdfMetadata>>;

/** What a document says about itself, beside its title. */
export type DocumentMetadata = { authors: string[]; subject?: string; keywords: string[]; title?: string };

const listOf = (value: string | string[] | undefined): string[] => (value === undefined ? [] : [value].flat());

/** The metadata of a request over that of the document; null if both say nothing. */
export const mergeMetadata = (
  request: PdfMetadataOption | undefined,
  document: DocumentMetadata | undefined,
): PdfMetadataOption | null => {
  const merged: PdfMetadataOption = {
    ...(document?.title !== undefined && { title: document.title }),
    ...(document && document.authors.length > 0 && { author: document.authors }),
    ...(document?.subject !== undefined && { subject: document.subject }),
    ...(document && document.keywords.length > 0 && { keywords: document.keywords }),
    ...request,
  };
  return Object.keys(merged).length === 0 ? null : merged;
};

export const authorsOf = ({ author }: PdfMetadataOption): string[] => listOf(author);
export const keywordsOf = ({ keywords }: PdfMetadataOption): string[] => listOf(keywords);
