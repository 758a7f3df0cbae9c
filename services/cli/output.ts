import { writeFile } from 'node:fs/promises';
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

/** Writes to the standard output. Ends the process if its reader is gone. */
export const writeStandardOutput = (content: string | Uint8Array): void => {
  // The reader can close the pipe early, as `head` does.
  process.stdout.once('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    throw error;
  });
  process.stdout.write(content);
};

/** Prints `text`, or with `--json` the value as JSON. */
export const print = (json: boolean, value: unknown, text: string): void =>
  writeStandardOutput(`${json ? JSON.stringify(value) : text}\n`);

const writeErrors: Record<string, string> = {
  ENOENT: 'its folder does not exist',
  EISDIR: 'it is a folder',
  EACCES: 'access is denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};

/** Writes a file that the user named. @throws UsageError with the reason */
export const writeOutput = async (file: string, bytes: Uint8Array | string): Promise<void> => {
  try {
    await writeFile(file, bytes, { mode: 0o666 });
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new UsageError(`${file} cannot be written: ${writeErrors[code] ?? message}.`);
  }
};
