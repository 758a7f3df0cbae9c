import { z } from 'zod';
import { pdfUa, type Standard } from './conformance.ts';
import { hasProhibitedCharacters, maxPdfPasswordBytes, pdfPasswordBytes, preparePdfPassword } from './pdf-password.ts';
import { mask } from './request-headers.ts';

/** Far more than fits; a longer text is not prepared and measured. */
const maxPasswordLength = 4 * maxPdfPasswordBytes;

/** The messages never contain the password. */
const password = z
  .string()
  .min(1)
  .max(maxPasswordLength, { error: `must have at most ${maxPdfPasswordBytes} bytes in UTF-8`, abort: true })
  .refine((text) => text !== mask, { error: 'must not be ***, which marks a masked password; send the original' })
  .refine((text) => !hasProhibitedCharacters(text), {
    error: 'must not have control characters, characters of private use, or marks of direction',
    abort: true,
  })
  .refine((text) => pdfPasswordBytes(text).length > 0, 'must have characters that can be seen')
  .refine(
    (text) => pdfPasswordBytes(text).length <= maxPdfPasswordBytes,
    `must have at most ${maxPdfPasswordBytes} bytes in UTF-8`,
  );

const allowed = (what: string) => z.boolean().default(true).describe(`${what} Default: true.`);

const printPermissions = ['none', 'low', 'high'] as const;

/** What a reader who opened the PDF with the user password, or without one, may do. */
export const encryptionPermissions = z.strictObject({
  print: z
    .enum(printPermissions)
    .default('high')
    .describe('`none`, `low` (as an image of low resolution) or `high`. Default: high.'),
  copy: allowed('Copy text and images.'),
  modify: allowed('Change the content.'),
  annotate: allowed('Add comments, and change form fields.'),
  fill_forms: allowed('Fill in form fields that exist.'),
  accessibility: allowed('Extract text for assistive technology. PDF/UA needs it.'),
  assemble: allowed('Insert, delete and rotate pages.'),
});
export type EncryptionPermissions = z.output<typeof encryptionPermissions>;

const fields = z
  .strictObject({
    user_password: password
      .optional()
      .describe('Needed to open the PDF. Without it, everyone can open it, within the permissions.'),
    owner_password: password
      .optional()
      .describe(
        'Opens the PDF without restrictions. Default: one that the service makes and tells to no one. Must differ from user_password.',
      ),
    permissions: encryptionPermissions.prefault({}).describe('What readers without the owner password may do.'),
    encrypt_metadata: z
      .boolean()
      .default(true)
      .describe(
        'false leaves the XMP metadata (title, author, keywords) readable, so that a search can find the file.',
      ),
  })
  .superRefine(({ user_password: user, owner_password: owner }, context) => {
    if (user === undefined && owner === undefined)
      context.addIssue({ code: 'custom', message: 'must have user_password, owner_password, or both' });
    else if (user !== undefined && owner !== undefined && preparePdfPassword(user) === preparePdfPassword(owner))
      context.addIssue({
        code: 'custom',
        path: ['owner_password'],
        message: 'must differ from user_password: with one password for both, the permissions would restrict no one',
      });
  });

/** The option `encryption`. */
export const encryption = fields
  .optional()
  .describe(
    'Encrypts the PDF with AES-256 (PDF 2.0, ISO 32000-2, revision 6). Passwords are at most 127 bytes in UTF-8 and are ' +
      'stored encrypted; no response, event or log contains them. Not allowed together with PDF/A, which forbids ' +
      'encryption, and not in the default options of a template.',
  );
export type EncryptionOption = z.output<typeof fields>;

type WithEncryption = {
  encryption?: Pick<EncryptionOption, 'permissions'> | undefined;
  conformance?: Standard | Standard[] | undefined;
  factur_x?: unknown;
};

/** Why the PDF cannot be encrypted as the options say; null if it can. */
export const encryptionProblem = (options: WithEncryption): { field: string; message: string } | null => {
  const { encryption: option, factur_x: facturX } = options;
  if (option === undefined) return null;
  const standards = [options.conformance ?? []].flat();
  const pdfa = standards.find((one) => one !== pdfUa);
  if (pdfa !== undefined)
    return {
      field: 'encryption',
      message:
        `encryption and conformance "${pdfa}" exclude each other: PDF/A forbids encryption (ISO 19005, 6.1.3). ` +
        'Send one of the two.',
    };
  if (facturX !== undefined)
    return {
      field: 'encryption',
      message:
        'encryption and factur_x exclude each other: the PDF of an e-invoice is PDF/A-3, which forbids encryption ' +
        '(ISO 19005-3, 6.1.3). Send one of the two.',
    };
  if (standards.includes(pdfUa) && !option.permissions.accessibility)
    return {
      field: 'encryption.permissions.accessibility',
      message:
        `encryption.permissions.accessibility must be true with conformance "${pdfUa}": assistive technology must be ` +
        'able to read the text (ISO 14289-1, 7.16).',
    };
  return null;
};
