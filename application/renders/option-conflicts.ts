import { invalidField } from '#contracts/http/api-error.ts';
import { sizeOf } from '#contracts/http/attachments.ts';
import { facturXFileNames } from '#contracts/http/factur-x.ts';
import type { NamedRenderOptions } from '#contracts/http/render-options.ts';
import type { PlanLimits } from '#contracts/plans.ts';
import { bytesPerMb, bytesToMb } from '#libs/sizes/sizes.ts';

/**
 * Refuses options that exclude each other, in a request with the options of its template.
 * @throws ApiError invalid_request
 */
export const requireCompatibleOptions = ({
  conformance,
  attachments = [],
  factur_x,
}: Pick<NamedRenderOptions, 'conformance' | 'attachments' | 'factur_x'>): void => {
  const level = [conformance ?? []].flat().find((one) => one.startsWith('pdf/a-2'));
  if (level && factur_x)
    throw invalidField('conformance', `factur_x needs PDF/A-3: use pdf/a-3b or pdf/a-3u in place of ${level}.`);
  if (level && attachments.length > 0)
    throw invalidField(
      'attachments',
      `${level} allows no attachments, except files that are PDF/A themselves. Use pdf/a-3b or pdf/a-3u.`,
    );
  const reserved = facturXFileNames.find((one) => attachments.some(({ name }) => name.toLowerCase() === one));
  if (factur_x && reserved !== undefined)
    throw invalidField('attachments', `No other attachment can have the name ${reserved} if factur_x is sent.`);
};

/** @throws ApiError invalid_request for more or larger attachments than the plan allows */
export const requireAttachmentLimits = (
  { attachments = [] }: Pick<NamedRenderOptions, 'attachments'>,
  { maxAttachments, maxAttachmentsMb }: PlanLimits,
): void => {
  if (attachments.length > maxAttachments)
    throw invalidField(
      'attachments',
      `attachments has ${attachments.length} files; the account's plan allows ${maxAttachments}.`,
    );
  const bytes = attachments.reduce((sum, file) => sum + sizeOf(file), 0);
  if (bytes > maxAttachmentsMb * bytesPerMb)
    throw invalidField(
      'attachments',
      `attachments have ${bytesToMb(bytes)} MB together; the account's plan allows ${maxAttachmentsMb} MB.`,
    );
};
