import { writeFile } from 'node:fs/promises';
import { fileErrorReasons } from '#libs/disk/file-errors.ts';
import { UsageError } from '../process/command-context.ts';

type Cell = string | number | boolean | null | undefined;

/** A text table; each column is as wide as its widest cell. */
export const table = (rows: readonly Record<string, Cell>[]): string => {
  if (rows.length === 0) return '(none)';
  const columns = Object.keys(rows[0]!);
  const text = (cell: Cell): string => (cell === null || cell === undefined ? '-' : String(cell));
  const widths = columns.map((column) =>
    rows.reduce((width, row) => Math.max(width, text(row[column]).length), column.length),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => cell.padEnd(widths[index]!))
      .join('  ')
      .trimEnd();
  return [line(columns), ...rows.map((row) => line(columns.map((column) => text(row[column]))))].join('\n');
};

/** The errors of a pipe whose reader has ended, as `head` does after its lines, and of a terminal that was closed. */
const readerGoneCodes: ReadonlySet<string> = new Set(['EPIPE', 'EIO']);

/** Ends the process when its output cannot be written; without a message if its reader has ended. */
const endWithoutOutput = ({ code = '', message }: NodeJS.ErrnoException): never => {
  if (readerGoneCodes.has(code)) process.exit();
  process.stderr.write(`The output cannot be written: ${fileErrorReasons[code] ?? message}.\n`);
  process.exit(1);
};

/** Writes to the standard output. `onError` is called if that fails, and by default ends the process. */
export const writeStandardOutput = (
  content: string | Uint8Array,
  onError: (error: NodeJS.ErrnoException) => void = endWithoutOutput,
): void => {
  // A command that writes often needs one listener.
  process.stdout.off('error', onError).on('error', onError);
  process.stdout.write(content);
};

/** Prints `text`, or with `--json` the value as JSON. */
export const print = (json: boolean, value: unknown, text: string): void =>
  writeStandardOutput(`${json ? JSON.stringify(value) : text}\n`);

/** Writes a file that the user named. @throws UsageError with the reason */
export const writeOutput = async (file: string, bytes: Uint8Array | string): Promise<void> => {
  try {
    await writeFile(file, bytes, { mode: 0o666 });
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new UsageError(`${file} cannot be written: ${fileErrorReasons[code] ?? message}.`);
  }
};
