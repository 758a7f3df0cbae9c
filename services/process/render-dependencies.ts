import type { BlobStore } from '#libs/blob-store/port.ts';
import { openPrinter } from '#libs/chromium/printer.ts';
import { openOffice } from '#libs/office/libreoffice/office.ts';
import { requireBrowser } from '#libs/config/require-browser.ts';
import type { Settings } from '#libs/config/settings.ts';
import { removeAbandonedFolders } from '#libs/disk/temporary-folder.ts';
import { openDocumentPreparation } from '#libs/documents/document-preparation.ts';
import { type Egress, openEgress } from '#libs/egress/egress.ts';
import { officeOptions } from './office-options.ts';
import type { RenderPdfDependencies } from '#application/renders/render-pdf.ts';
import type { Logger } from '#libs/telemetry/logger.ts';

/** Opens what is needed to render a PDF: egress, document preparation, browsers. */
export const openRenderDependencies = async (
  settings: Settings,
  blobs: BlobStore,
  logger: Logger,
): Promise<Omit<RenderPdfDependencies, 'secrets'> & { egress: Egress; close(): Promise<void> }> => {
  removeAbandonedFolders();
  const egress = await openEgress({ allowList: settings.egressAllow, logger, caFile: settings.egressCaFile });
  const preparation = openDocumentPreparation();
  const printer = await openPrinter({
    executable: requireBrowser(),
    openProxy: egress.openProxy,
    memoryMb: settings.chromiumMemoryMb,
    logger,
    caFile: settings.egressCaFile,
  });
  const office = openOffice(officeOptions(settings, logger));
  return {
    blobs,
    preparation,
    printer,
    office,
    egress,
    close: async () => {
      await Promise.all([printer.close(), office.close()]);
      await Promise.all([preparation.close(), egress.close()]);
    },
  };
};
