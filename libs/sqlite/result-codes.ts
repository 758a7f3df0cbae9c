/** Primary result codes, and extended ones in the second group (https://www.sqlite.org/rescode.html). */
const codes = {
  busy: 5,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,

  shortRead: 522,
  primaryKeyViolated: 1_555,
  uniqueViolated: 2_067,
};
type CodeName = keyof typeof codes;

/** Whether SQLite raised the error with one of these codes. A primary code includes its extended ones. */
export const hasResultCode = (error: unknown, ...names: readonly CodeName[]): boolean => {
  const { errcode } = error as { errcode?: unknown };
  // The last byte of an extended code is the primary one.
  return typeof errcode === 'number' && names.some((name) => [errcode, errcode % 256].includes(codes[name]));
};

const concernsFile = (error: unknown): boolean =>
  hasResultCode(error, 'readOnly', 'ioError', 'corrupt', 'full', 'cannotOpen', 'notADatabase');

/** Runs `work` and adds the file name to errors of SQLite that concern the file. */
export const withFileInError = <T>(file: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && concernsFile(error) && !error.message.includes(file))
      error.message = `${file}: ${error.message}`;
    throw error;
  }
};
