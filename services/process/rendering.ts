import type { BlobStore } from '#libs/blob-store/port.ts';
import { openPrinter, type Printer } from '#libs/chromium/printer.ts';
import { requireBrowser } from '#libs/config/browser.ts';
import type { Settings } from '#libs/config/settings.ts';
import { openPreparation } from '#libs/documents/preparation.ts';
import { type Egress, openEgress } from '#libs/egress/door.ts';
import type { RenderDependencies } from '#application/renders/produce.ts';
import type { Logger } from '#libs/telemetry/log.ts';

/** Opens what it takes to make a PDF: the way out, the conversion threads, the browsers. */
export const openRenderDependencies = async (settings: Settings, blobs: BlobStore, log: Logger): Promise<RenderDependencies & { egress: Egress; close(): Promise<void> }> => {
  const caFile = settings.egressCaFile ? { caFile: settings.egressCaFile } : {};
  const egress = await openEgress({ allow: settings.egressAllow, log, ...caFile });
  const preparation = openPreparation();
  const printer: Printer = await openPrinter({ executable: requireBrowser(), openProxy: egress.openProxy, memoryMb: settings.chromiumMemoryMb, log, ...caFile });
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
