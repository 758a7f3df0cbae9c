/** Units in which callers are told of sizes: 1024 bytes are a KB, 1024 KB a MB. */
export const bytesPerMb = 1024 * 1024;

/** A size in bytes as KB, to two decimals. */
export const bytesToKb = (bytes: number): number => Math.round((bytes / 1024) * 100) / 100;

/** A size in bytes as MB, rounded up to two decimals: what is above a limit never looks as if it were the limit. */
export const bytesToMb = (bytes: number): number => Math.ceil((bytes / bytesPerMb) * 100) / 100;
