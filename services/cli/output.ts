type Cell = string | number | null | undefined;

/** A text table; each column is as wide as its widest cell. */
export const table = (rows: readonly Record<string, Cell>[]): string => {
  if (rows.length === 0) return '(none)';
  const columns = Object.keys(rows[0]!);
  const text = (cell: Cell): string => (cell === null || cell === undefined ? '-' : String(cell));
  const width = (column: string): number => Math.max(column.length, ...rows.map((row) => text(row[column]).length));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => cell.padEnd(width(columns[index]!)))
      .join('  ')
      .trimEnd();
  return [line(columns), ...rows.map((row) => line(columns.map((column) => text(row[column]))))].join('\n');
};

/** Prints `text`, or with `--json` the value as JSON. */
export const print = (json: boolean, value: unknown, text: string): void => {
  // The reader can close the pipe early, as `head` does.
  process.stdout.once('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    throw error;
  });
  process.stdout.write(`${json ? JSON.stringify(value) : text}\n`);
};
