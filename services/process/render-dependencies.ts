import type { BlobStore } from '#libs/blob-store/port.ts';
import { openPrinter, type Printer } from '#libs/chromium/printer.ts';
import { requireBrowser } from '#libs/config/require-browser.ts';
import type { Settings } from '#libs/config/settings.ts';
import { openDocumentPreparation } from '#libs/documents/document-preparation.ts';
import { type Egress, openEgress } from '#libs/egress/egress.ts';
import type { RenderPdfDependencies } from '#application/renders/render-pdf.ts';
import type { Logger } from '#libs/telemetry/logger.ts';

/** Opens what is needed to render a PDF: egress, document preparation, browsers. */
export const openRenderDependencies = async (
  settings: Settings,
  blobs: BlobStore,
  logger: Logger,
): Promise<RenderPdfDependencies & { egress: Egress; close(): Promise<void> }> => {
  const caFile = settings.egressCaFile ? { caFile: settings.egressCaFile } : {};
  const egress = await openEgress({ allowList: settings.egressAllow, logger, ...caFile });
  const preparation = openDocumentPreparation();
  const printer: Printer = await openPrinter({
    executable: requireBrowser(),
    openProxy: egress.openProxy,
    memoryMb: settings.chromiumMemoryMb,
    logger,
    ...caFile,
  });
  return {
    blobs,
    preparation,
    printer,
    egress,
    close: async () => {
      await printer.close();
      await Promise.all([preparation.close(), egress.close()]);
    },
  };
};
