import { attachFiles } from './attachments.ts';
import { attachedFilesOf, facturXMetadata, type FilesInput } from './attached-files.ts';
import { completeCatalog, metadataOf, type MetadataInput, setFileIdentifier, type Standards } from './catalog.ts';
import { conformPages } from './conform.ts';
import { shortenDestinationNames } from './destination-names.ts';
import { encryptDocument, type PdfEncryption } from './encryption.ts';
import { loadPdf, savePdf } from './load-and-save.ts';
import { stampDocument, type Stamps } from './stamp.ts';

/** `standards` is null without any; `namesLanguage` is for them, as in `PagesToConform`. */
export type FinishInput = MetadataInput &
  FilesInput & {
    pdf: Uint8Array;
    standards: Standards | null;
    /** The title for PDF/UA if the PDF has none. */
    fallbackTitle?: string | null;
    namesLanguage: boolean;
    stamps?: Stamps | null;
    encryption?: PdfEncryption | null;
  };

/**
 * Does what the browser cannot do, one step after the other, and saves the PDF once. The same input always gives the
 * same bytes. Takes the memory of the whole PDF several times, so it runs in a worker process.
 * @throws ApiError conformance_not_met; conversion_failed if an image of a stamp cannot be drawn
 */
export const finishPdf = async (input: FinishInput): Promise<Uint8Array> => {
  const { pdf, standards, namesLanguage, stamps, encryption, requestedAt } = input;
  const document = await loadPdf(pdf);
  const metadata = metadataOf(document, input);
  if (standards?.isPdfUa) metadata.title ||= input.fallbackTitle ?? null;
  if (stamps) await stampDocument(document, stamps);
  if (standards) conformPages(document, { standards, namesLanguage, title: metadata.title });
  if (standards?.pdfa) shortenDestinationNames(document);
  attachFiles(document, attachedFilesOf(input));
  completeCatalog(document, metadata, standards, facturXMetadata(input));
  setFileIdentifier(document, pdf);
  if (encryption) encryptDocument(document, encryption, { pdf, requestedAt });
  return savePdf(document);
};
