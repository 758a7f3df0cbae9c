import type { BlobStore } from '#libs/blob-store/port.ts';
import { openPrinter } from '#libs/chromium/printer.ts';
import { openOffice } from '#libs/office/libreoffice/office.ts';
import { requireBrowser } from '#libs/config/require-browser.ts';
import type { Settings } from '#libs/config/settings.ts';
import { removeAbandonedFolders } from '#libs/disk/temporary-folder.ts';
import { openDocumentPreparation } from '#libs/documents/document-preparation.ts';
import { type Egress, openEgress } from '#libs/egress/egress.ts';
import type { RenderPdfDependencies } from '#application/renders/render-pdf.ts';
import type { Logger } from '#libs/telemetry/logger.ts';

/** Opens browsers and LibreOffice. @throws Error when no browser starts */
export const openPrinterAndOffice = async (settings: Settings, { openProxy }: Egress, logger: Logger) => {
  removeAbandonedFolders();
  const printer = await openPrinter({
    executable: requireBrowser(),
    openProxy,
    memoryMb: settings.chromiumMemoryMb,
    logger,
    caFile: settings.egressCaFile,
  });
  const office = openOffice({ folder: settings.libreOfficeFolder, memoryMb: settings.libreOfficeMemoryMb, logger });
  const close = async (): Promise<void> => void (await Promise.all([printer.close(), office.close()]));
  return { printer, office, close };
};

/** Opens what is needed to render a PDF: egress, document preparation, browsers. */
export const openRenderDependencies = async (
  settings: Settings,
  blobs: BlobStore,
  logger: Logger,
): Promise<Omit<RenderPdfDependencies, 'secrets'> & { egress: Egress; close(): Promise<void> }> => {
  const egress = await openEgress({ allowList: settings.egressAllow, logger, caFile: settings.egressCaFile });
  const preparation = openDocumentPreparation();
  const { close, ...opened } = await openPrinterAndOffice(settings, egress, logger);
  return {
    blobs,
    preparation,
    ...opened,
    egress,
    close: async () => {
      await close();
      await Promise.all([preparation.close(), egress.close()]);
    },
  };
};
