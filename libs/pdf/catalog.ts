import { hash } from 'node:crypto';
import { PDFDict, type PDFDocument, PDFHexString, PDFString } from '@cantoo/pdf-lib';
import { authorsOf, keywordsOf, type PdfMetadataOption } from '#contracts/http/pdf-metadata.ts';
import { name, textOf } from './names-and-texts.ts';
import { srgbProfile } from './srgb-profile.ts';
import { type FacturXMetadata, type PdfaLevel, type PdfMetadata, xmpPacket } from './xmp.ts';

export type Standards = { pdfa: PdfaLevel | null; isPdfUa: boolean };
/** `requestedAt` is ISO 8601. */
export type MetadataInput = { metadata: PdfMetadataOption; requestedAt: string };

const addOutputIntent = (document: PDFDocument): void => {
  const { context, catalog } = document;
  const profile = context.register(context.flateStream(srgbProfile(), { N: 3 }));
  const intent = context.obj({
    Type: 'OutputIntent',
    S: 'GTS_PDFA1',
    OutputConditionIdentifier: PDFString.of('sRGB'),
    Info: PDFString.of('sRGB IEC61966-2.1'),
    DestOutputProfile: profile,
  });
  catalog.set(name('OutputIntents'), context.obj([context.register(intent)]));
};

const setMetadata = (
  document: PDFDocument,
  metadata: PdfMetadata,
  standards: Standards | null,
  facturX: FacturXMetadata | null,
): void => {
  const { context, catalog } = document;
  const information = context.lookup(context.trailerInfo.Info, PDFDict);
  const set = (key: string, value: string | null): void => {
    if (value) information.set(name(key), PDFHexString.fromText(value));
    else information.delete(name(key));
  };
  set('Title', metadata.title);
  set('Author', metadata.authors.join(', '));
  set('Subject', metadata.subject);
  set('Keywords', metadata.keywords.join(', '));
  set('Creator', metadata.creator);
  for (const [key, value] of Object.entries(metadata.custom)) set(key, value);
  const packet = Buffer.from(
    xmpPacket(metadata, standards?.pdfa ?? null, standards?.isPdfUa ?? false, facturX),
    'utf8',
  );
  catalog.set(name('Metadata'), context.register(context.stream(packet, { Type: 'Metadata', Subtype: 'XML' })));
  if (metadata.title) catalog.set(name('ViewerPreferences'), context.obj({ DisplayDocTitle: true }));
};

/** The identifier derives from the bytes of the printed PDF. */
export const setFileIdentifier = ({ context }: PDFDocument, pdf: Uint8Array): void => {
  const identifier = PDFHexString.of(hash('sha256', pdf, 'hex').slice(0, 32));
  context.trailerInfo.ID = context.obj([identifier, identifier]);
};

/** The metadata of the request and the document over what the browser wrote. */
export const metadataOf = ({ context }: PDFDocument, { metadata, requestedAt }: MetadataInput): PdfMetadata => {
  const information = context.lookup(context.trailerInfo.Info, PDFDict);
  return {
    title: metadata.title ?? textOf(information.get(name('Title'))),
    authors: authorsOf(metadata),
    subject: metadata.subject ?? null,
    keywords: keywordsOf(metadata),
    creator: metadata.creator ?? textOf(information.get(name('Creator'))) ?? '',
    producer: textOf(information.get(name('Producer'))) ?? '',
    createdAt: `${requestedAt.slice(0, 19)}Z`,
    custom: metadata.custom ?? {},
  };
};

/** Writes what the whole document says: metadata, and the output intent of PDF/A. `standards` is null without any. */
export const completeCatalog = (
  document: PDFDocument,
  metadata: PdfMetadata,
  standards: Standards | null,
  facturX: FacturXMetadata | null = null,
): void => {
  if (standards?.pdfa) addOutputIntent(document);
  setMetadata(document, metadata, standards, facturX);
};
