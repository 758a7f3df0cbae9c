/** The disk takes no more: it is full, a quota is reached, or it can only be read. Nothing of what was to be written is there. */
export class DiskRefusal extends Error {
  constructor(cause: unknown) {
    super(`the disk refuses to be written: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'DiskRefusal';
  }
}

/** Primary result codes of SQLite (https://www.sqlite.org/rescode.html): an extended one has the primary one in its last byte. */
const sqliteCodes: ReadonlySet<number> = new Set([8 /* READONLY */, 10 /* IOERR */, 13 /* FULL */, 14 /* CANTOPEN */]);
const systemCodes: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS']);

/** Whether an error of SQLite or of the file system says that the disk takes no more. */
export const isRefusal = (error: unknown): boolean => {
  const { errcode, code } = error as { errcode?: unknown; code?: unknown };
  return (typeof errcode === 'number' && sqliteCodes.has(errcode % 256)) || (typeof code === 'string' && systemCodes.has(code));
};
