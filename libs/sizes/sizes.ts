/** The API reports sizes in KB (1024 bytes) and MB (1024 KB). */
export const bytesPerMb = 1024 * 1024;

/** Bytes as KB, rounded to two decimals. */
export const bytesToKb = (bytes: number): number => Math.round((bytes / 1024) * 100) / 100;

/** Bytes as MB, rounded up to two decimals, so that a size above a limit is never shown as the limit. */
export const bytesToMb = (bytes: number): number => Math.ceil((bytes / bytesPerMb) * 100) / 100;
