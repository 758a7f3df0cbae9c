import { BlobNotFound } from '#libs/blob-store/port.ts';
import { BrowserStartError } from '#libs/chromium/browsers/start-error.ts';
import { SettingsError } from '#libs/config/settings.ts';
import { DiskWriteError } from '#libs/disk/disk-monitor.ts';
import { describeFileError } from '#libs/disk/file-errors.ts';
import { DamagedFileError } from '#libs/engines/damaged-files.ts';
import { AddressError } from '#libs/engines/remote.ts';
import { UsageError } from './command-context.ts';

const userErrors = [UsageError, SettingsError, AddressError, DiskWriteError, DamagedFileError, BrowserStartError];

/** What the user can correct, without a stack; null for an error that only developers can. */
export const userErrorMessage = (error: unknown): string | null => {
  if (error instanceof BlobNotFound)
    return (
      `The blob store has ${error.message}. "colophon check" lists all that are missing or damaged; restore them from ` +
      'the backup.'
    );
  return userErrors.some((errorClass) => error instanceof errorClass)
    ? (error as Error).message
    : describeFileError(error);
};
