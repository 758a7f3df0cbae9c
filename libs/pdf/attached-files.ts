import type { Attachment } from '#contracts/http/attachments.ts';
import { facturXFileNameOf, type FacturXProfile } from '#contracts/http/factur-x.ts';
import type { AttachedFile } from './attachments.ts';
import { profiles } from './factur-x/profiles.ts';
import type { FacturXMetadata } from './xmp.ts';

/** `facturX` is a checked invoice; null without one. */
export type FilesInput = {
  attachments?: readonly Attachment[];
  facturX?: { xml: string; profile: FacturXProfile } | null;
};

/** The files of the options. `requestedAt` is ISO 8601. */
export const attachedFilesOf = ({
  attachments = [],
  facturX,
  requestedAt,
}: FilesInput & { requestedAt: string }): AttachedFile[] => [
  ...attachments.map(({ data, mime_type: mimeType, relationship, modified_at, ...file }) => ({
    ...file,
    mimeType,
    bytes: typeof data === 'string' ? Buffer.from(data, 'base64') : data,
    relationship: relationship ?? 'Unspecified',
    modifiedAt: modified_at ?? requestedAt,
  })),
  ...(facturX
    ? [
        {
          name: facturXFileNameOf(facturX.profile),
          mimeType: 'text/xml',
          bytes: Buffer.from(facturX.xml),
          relationship: profiles[facturX.profile].relationship,
          description: 'Factur-X invoice',
          modifiedAt: requestedAt,
        },
      ]
    : []),
];

/** What the metadata say about the invoice; null without one. */
export const facturXMetadata = ({ facturX }: FilesInput): FacturXMetadata | null =>
  facturX ? { fileName: facturXFileNameOf(facturX.profile), level: profiles[facturX.profile].level } : null;
