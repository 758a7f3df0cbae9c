import type { Settings } from '#libs/config/settings.ts';
import type { OfficeOptions } from '#libs/office/libreoffice/office.ts';
import type { Logger } from '#libs/telemetry/logger.ts';

/** The options of LibreOffice by the settings. */
export const officeOptions = (settings: Settings, logger: Logger): OfficeOptions => ({
  folder: settings.libreOfficeFolder,
  memoryMb: settings.libreOfficeMemoryMb,
  logger,
});
