import { z } from 'zod';
import { oneLine } from './one-line.ts';

/** What an attached file is to the document (ISO 32000-2, 7.11.3). */
const relationships = ['Source', 'Data', 'Alternative', 'Supplement', 'Unspecified'] as const;
export type Relationship = (typeof relationships)[number];

/** Of every plan; plans have lower limits of their own, see contracts/plans.ts. */
const maxAttachments = 100;
const maxNameLength = 200;
/** Clocks of callers may be ahead of the clock of the service. */
const maxClockDifferenceMs = 24 * 60 * 60 * 1000;

const base64 = /^(?:[A-Za-z0-9+/]+={0,2})?$/;

/** Whether the text is base64 as the API takes it: without a prefix or line breaks. Empty text is an empty file. */
export const isBase64 = (text: string): boolean => text.length % 4 === 0 && base64.test(text);

const attachmentName = oneLine(z.string().min(1).max(maxNameLength))
  .refine((name) => name === '' || name.trim() !== '', 'must not be only spaces')
  .refine((name) => !/[/\\]/.test(name) && !/^\.{1,2}$/.test(name), 'must be the name of a file, without a folder');

const attachment = z.strictObject({
  name: attachmentName.describe('The name of the file, such as `measurements.csv`. Distinct within the document.'),
  mime_type: z
    .string()
    .max(100)
    .regex(/^[\w!$&^.+-]+\/[\w!$&^.+-]+$/, 'must be a media type, such as text/csv')
    .optional()
    .describe('Default: application/octet-stream.'),
  data: z
    .string()
    .refine(isBase64, 'must be base64, without a prefix or line breaks')
    .describe('The bytes of the file in base64.'),
  relationship: z
    .enum(relationships)
    .optional()
    .describe(
      'What the file is to the document: `Source` it was made from it, `Data` it holds the data of a table or chart, ' +
        '`Alternative` it says the same in another form, `Supplement` it adds to it. Default: `Unspecified`.',
    ),
  description: oneLine(z.string().min(1).max(1000)).optional(),
  modified_at: z.iso
    .datetime({
      offset: true,
      error: 'must be an ISO 8601 time with an offset, such as 2026-05-31T09:30:00Z',
      abort: true,
    })
    .refine((text) => Date.parse(text) <= Date.now() + maxClockDifferenceMs, 'must not be in the future')
    .optional()
    .describe('When the file was last changed, such as `2026-05-31T09:30:00Z`. Default: the time of the request.'),
});
/** A file to attach. `data` is base64, or the bytes themselves. */
export type Attachment = Omit<z.output<typeof attachment>, 'data'> & { data: string | Uint8Array };

const distinctName = ({ name }: Pick<Attachment, 'name'>): string => name.normalize('NFC').toLowerCase();

/** The option `attachments`. */
export const attachments = z
  .array(attachment)
  .max(maxAttachments)
  .superRefine((files, context) => {
    const seen = new Set<string>();
    for (const [index, file] of files.entries()) {
      if (seen.has(distinctName(file)))
        context.addIssue({ code: 'custom', path: [index, 'name'], message: 'must differ from the other names' });
      seen.add(distinctName(file));
    }
  })
  .optional()
  .describe(
    'Files in the PDF, which a reader can save. The plan limits their number and size. Allowed with `pdf/a-3b` and ' +
      '`pdf/a-3u`, but not with `pdf/a-2b` and `pdf/a-2u`. In a multipart body, send files as parts `attachments`.',
  );

/** The size of base64 text, decoded, in bytes. */
export const decodedSize = (data: string): number =>
  (data.length / 4) * 3 - (data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0);

/** The size of the file in bytes. */
export const sizeOf = ({ data }: Attachment): number =>
  typeof data === 'string' ? decodedSize(data) : data.byteLength;
